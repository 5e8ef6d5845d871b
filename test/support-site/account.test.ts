import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount, meterPointNumber, supplyPoint } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

let service: Service;
let site: Site;
let token: string;
let staff: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  token = await service.supplierToken(['SUPPLIER_FR']);
  staff = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

type Payload = ReturnType<typeof domesticAccount>;

async function stage(external: string, sequence: number, change: (payload: Payload) => void = () => {}): Promise<void> {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, sequence);
  change(payload);
  const path = '/v1/data-import/account-import-process/create-or-update/';
  expect((await service.call('POST', path, { token, body: payload })).status).toBe(201);
}

async function create(external: string): Promise<string> {
  const body = {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body.service_account_number as string;
}

async function addPinnedNote(external: string, text: string): Promise<void> {
  const note = { body: text, is_pinned: true, unpin_at: '2035-01-01T00:00:00Z' };
  const body = { import_supplier: 'SUPPLIER_FR', external_account_number: external, notes: [note] };
  expect(await service.call('POST', '/v1/data-import/notes/create/', { token, body })).toMatchObject({ status: 201 });
}

async function auditOf(subject: string): Promise<object[]> {
  const path = `/v1/operations/audit/?subject=${encodeURIComponent(subject)}`;
  return (await service.call('GET', path, { token: service.operatorToken })).body as object[];
}

const pageOf = (external: string) => `/accounts/SUPPLIER_FR/${encodeURIComponent(external)}`;

const TABS: readonly (readonly [tab: string, shown: readonly string[]])[] = [
  ['/', ['Noémie Zeller', '68000 Colmar', 'noemie.zeller.1@example.org', 'href="tel:+33612345678">06 12 34 56 78<']],
  ['/supply', ['BOREAL-POWER-FIXED-22', meterPointNumber(2, 1), '61.25\u00A0€', '1 Oct 2022']],
  ['/money', [`RUM-${meterPointNumber(2, 1)}`, 'CHEQUE_ENERGIE']],
  ['/documents', ['letters/1.pdf', 'bills/2024-07/1.pdf', 'previous_system', 'solar-roofs']],
  ['/history', ['revisions/1">revision 1<', 'Created as', 'Note: Asked for paper bills', '>staff all / Ada<']],
];

test('shows all stored data of an account in tabs, names the person, links its runs, and audits the reader', async () => {
  await stage('PAGE-1', 1);
  const number = await create('PAGE-1');
  for (const [tab, shown] of TABS) {
    const { status, text: ofTab } = await staff.get(`${pageOf('PAGE-1')}${tab}`);
    expect([tab, status]).toEqual([tab, 200]);
    expect(ofTab).toContain('<h1>Noémie Zeller and Anatole Zeller</h1>');
    for (const text of [number, ...shown]) expect([tab, ofTab]).toEqual([tab, expect.stringContaining(text)]);
  }
  const { text } = await staff.get(pageOf('PAGE-1'));
  expect(text).toMatch(/href="http:\/\/127\.0\.0\.1:8233\/namespaces\/[^"]+\/workflows\/switch-supplier%2F/);
  const read = { action: 'account.read', actor: { name: 'staff all / Ada' } };
  expect(await auditOf('accounts/SUPPLIER_FR/PAGE-1')).toMatchObject([...TABS, 1].map(() => read));
});

test('shows a staged account with its people before it is created, and asks for a reason in a dialog', async () => {
  await stage('PAGE-10', 10);
  const { text } = await staff.get(pageOf('PAGE-10'));
  expect(text).toContain('<title>Noémie Zeller and Anatole Zeller');
  expect(text).toContain(meterPointNumber(2, 10));
  expect(text).toMatch(/Created <small>not yet/);
  expect(text).toMatch(/popovertarget="dialog-skip"[\s\S]*id="dialog-skip"[\s\S]*name="reason"/);
  expect(text).not.toContain(`href="${pageOf('PAGE-10')}/money"`);
});

test('returns 404 for an unknown account', async () => {
  for (const path of [pageOf('NOWHERE'), pageOf('a\0b'), '/accounts/NOBODY/1']) {
    expect({ path, status: (await staff.get(path)).status }).toEqual({ path, status: 404 });
  }
});

test('masks contact data for viewers until they reveal it, and audits that', async () => {
  await stage('PAGE-2', 2);
  await create('PAGE-2');
  const secrets = ['noemie.zeller.2@example.org', '+33612345678', '03 89 20 20 20', '+33389202020', '28 Feb 1979'];
  for (const [tab] of TABS) {
    const closed = await viewer.get(`${pageOf('PAGE-2')}${tab}`);
    for (const secret of secrets) expect(closed.text).not.toContain(secret);
    if (tab === '/') expect(closed.text).toContain('•••');
  }
  const open = await viewer.post(`${pageOf('PAGE-2')}/reveal`, []);
  expect(open.status).toBe(200);
  for (const secret of secrets) expect(open.text).toContain(secret);
  expect(open.text).not.toContain('•••');
  expect(await auditOf('accounts/SUPPLIER_FR/PAGE-2')).toMatchObject([
    { action: 'account.contact_data_revealed', actor: { name: 'staff read / Ada' } },
    ...TABS.map(() => ({ action: 'account.read' })),
  ]);
});

test('skips an account and reverts that, with reason and name in the audit', async () => {
  await stage('PAGE-3', 3);
  await staff.get(pageOf('PAGE-3'));
  const marked = await staff.post(`${pageOf('PAGE-3')}/skip`, [['reason', 'moved by hand']]);
  expect(marked).toMatchObject({ status: 303, location: pageOf('PAGE-3') });
  const shown = await staff.get(pageOf('PAGE-3'));
  expect(shown.text).toContain('badge-warn">skipped<');
  expect(shown.text).toContain('moved by hand');
  await staff.post(`${pageOf('PAGE-3')}/unskip`, []);
  expect((await staff.get(pageOf('PAGE-3'))).text).not.toContain('badge-warn">skipped<');
  expect(await auditOf('account-import-processes/SUPPLIER_FR/PAGE-3/skip')).toMatchObject([
    { action: 'skip_mark.removed' },
    { action: 'skip_mark.set', reason: 'moved by hand', actor: { name: 'staff all / Ada' } },
  ]);
});

test('sets the switch status manually, with a reason only', async () => {
  await stage('PAGE-4', 4);
  await create('PAGE-4');
  await staff.get(pageOf('PAGE-4'));
  const send = (fields: [string, string][]) => staff.post(`${pageOf('PAGE-4')}/switch-status`, fields);
  expect((await send([['status', 'COMPLETED']])).status).toBe(400);
  await staff.get(pageOf('PAGE-4'));
  const done = await send([
    ['status', 'COMPLETED'],
    ['supply_point_identifier', ''],
    ['reason', 'told by phone'],
  ]);
  expect(done.status).toBe(303);
  const { rows } = await service.database.pool.query(
    `select switch_status from account where external_account_number = 'PAGE-4'`,
  );
  expect(rows).toEqual([{ switch_status: 'COMPLETED' }]);
  expect((await staff.get(`${pageOf('PAGE-4')}/history`)).text).toMatch(
    /Ada<\/strong>\s+set the switch of the account[\s\S]*COMPLETED[\s\S]*<q>told by phone<\/q>/,
  );
});

test('shows a pinned note at the top until unpin_at, and pins and unpins notes', async () => {
  await stage('PAGE-5', 5, (payload) => {
    payload.notes = [];
  });
  await create('PAGE-5');
  await addPinnedNote('PAGE-5', 'The dog bites.');
  const read = async () => (await staff.get(pageOf('PAGE-5'))).text;
  const isOnTop = (text: string) => {
    const at = text.indexOf('<p class="pinned">');
    return at > 0 && at < text.indexOf('class="tabs"');
  };
  expect(isOnTop(await read())).toBe(true);
  const setUnpinAt = (sql: string) =>
    service.database.pool.query(
      `update note set unpin_at = ${sql} where account_id = (select id from account where external_account_number = 'PAGE-5')`,
    );
  await setUnpinAt("now() - interval '1 second'");
  expect(isOnTop(await read())).toBe(false);
  expect((await staff.post(`${pageOf('PAGE-5')}/notes/0/pin`, [])).status).toBe(303);
  expect(isOnTop(await read())).toBe(true);
  expect((await staff.post(`${pageOf('PAGE-5')}/notes/0/unpin`, [])).status).toBe(303);
  expect(isOnTop(await read())).toBe(false);
  expect((await staff.post(`${pageOf('PAGE-5')}/notes/7/pin`, [])).status).toBe(404);
  expect((await staff.post(`${pageOf('PAGE-5')}/notes/0/pin`, [['until', '2020-01-01T00:00']])).status).toBe(400);
  expect((await staff.post(`${pageOf('PAGE-5')}/notes/0/pin`, [['until', '2037-01-31T23:00']])).status).toBe(303);
  expect(await read()).toMatch(/pinned until\s+<time datetime="2037-01-31T22:00:00.000Z"/);
  expect(await auditOf('accounts/SUPPLIER_FR/PAGE-5/notes')).toMatchObject([
    { action: 'note.pinned', after: { unpin_at: '2037-01-31T22:00:00.000Z' } },
    { action: 'note.unpinned', before: { note: 0, is_pinned: true }, after: { note: 0, is_pinned: false } },
    { action: 'note.pinned', before: { is_pinned: false, unpin_at: expect.any(String) }, after: { unpin_at: null } },
  ]);
});

test('shows the difference of a revision, without contact data for viewers', async () => {
  await stage('PAGE-8', 8);
  const path = '/v1/data-import/account-import-process/create-or-update/';
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'PAGE-8' }, 8);
  body.customers![0]!.email = 'moved.8@example.org';
  body.sales_subchannel = 'BY_POST';
  expect((await service.call('POST', path, { token, body })).status).toBe(200);
  const page = await staff.get(pageOf('PAGE-8'));
  expect(page.text).toContain(`href="${pageOf('PAGE-8')}/revisions/2"`);
  const shown = (await staff.get(`${pageOf('PAGE-8')}/revisions/2`)).text;
  for (const text of ['customers.0.email', 'noemie.zeller.8@example.org', 'moved.8@example.org', 'BY_POST']) {
    expect(shown).toContain(text);
  }
  const masked = (await viewer.get(`${pageOf('PAGE-8')}/revisions/2`)).text;
  expect(masked).toContain('BY_POST');
  expect(masked).toContain('customers.0.email');
  expect(masked).not.toMatch(/example\.org|\+33612345678|1979-02-28/);
  const revealed = await viewer.post(`${pageOf('PAGE-8')}/revisions/2/reveal`, []);
  expect(revealed.text).toContain('moved.8@example.org');
  expect(await auditOf('accounts/SUPPLIER_FR/PAGE-8')).toMatchObject([
    { action: 'account.contact_data_revealed', actor: { name: 'staff read / Ada' } },
    { action: 'account.read' },
    { action: 'account.read' },
    { action: 'account.read' },
  ]);
  expect((await staff.get(`${pageOf('PAGE-8')}/revisions/3`)).status).toBe(404);
});

test('shows one page of each list of a large account, with links to the others', async () => {
  await stage('PAGE-9', 9, (payload) => {
    const [address] = payload.supply_addresses!;
    payload.supply_addresses = Array.from({ length: 60 }, (_, index) => ({
      ...address!,
      supply_address1: `${index + 1} quai des Brumes`,
      supply_points: [supplyPoint('ELECTRICITY', 900 + index)],
    }));
    payload.payment_preferences = [];
  });
  await create('PAGE-9');
  const first = (await staff.get(`${pageOf('PAGE-9')}/supply`)).text;
  expect(first).toContain('>25 quai des Brumes,');
  expect(first).not.toContain('>26 quai des Brumes,');
  const [, next] = /<a href="([^"]+list=supply[^"]+)">Next/.exec(first)!;
  const second = (await staff.get(next!.replaceAll('&amp;', '&').split('#')[0]!)).text;
  expect(second).toContain('>26 quai des Brumes,');
  expect(second).not.toContain('>25 quai des Brumes,');
  expect((await staff.get(`${pageOf('PAGE-9')}/supply?list=supply&from=99999`)).text).toContain('>1 quai des Brumes,');
});

test('lists a rejected payment instruction until a later one is accepted, and presets no switch status', async () => {
  await stage('PAID-1', 31);
  await create('PAID-1');
  const verified = (reference: string, outcome: string) =>
    service.database.pool.query(
      `insert into payment_verification (id, account_id, workflow_id, vendor, type, reference, outcome, reason, completed_at)
      select gen_random_uuid(), id, $1, 'GOCARDLESS', 'DIRECT_DEBIT', $1, $2, 'revoked', now() from account where external_account_number = 'PAID-1'`,
      [reference, outcome],
    );
  await verified('MD-REVOKED', 'rejected');
  const { text } = await staff.get(pageOf('PAID-1'));
  expect(text).toMatch(/<strong>[\d.,]+\s€<\/strong> \((?:credit of|owed by) the customer\)|<strong>0\.00\s€/);
  expect(text).toMatch(/GOCARDLESS <code>MD-REVOKED<\/code>: revoked/);
  expect(text).not.toContain('Nothing is wrong with this account.');
  expect(text).toMatch(/<select id="switch-status"[^>]* required[^>]*>\s*<option value="">Choose<\/option>/);
  await verified('MD-NEW', 'verified');
  expect((await staff.get(pageOf('PAID-1'))).text).toContain('Nothing is wrong with this account.');
});

test('writes the detail of each fault into the text for the supplier', async () => {
  const record = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'TEXT-1' }, 32);
  Object.assign(record.customers![0]!, { email: 'nobody' });
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines: [record] });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId);
  const { text } = await staff.get(pageOf('TEXT-1'));
  expect(text).toContain(`SUPPLIER_FR TEXT-1: line 1 of the import job ${jobId} was rejected.`);
  expect(text).toMatch(/at customers\.\*\.email\nThis is not an e-mail address\./);
});

test('escapes texts of suppliers everywhere', async () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'';
  await stage('PAGE-6', 6, (payload) => {
    for (const customer of payload.customers!) Object.assign(customer, { given_name: hostile, family_name: hostile });
    payload.metadata = [{ key: hostile, value: { [hostile]: hostile } }];
    Object.assign(payload.supply_addresses![0]!, { supply_address1: hostile });
  });
  await create('PAGE-6');
  await addPinnedNote('PAGE-6', hostile);
  await staff.get(pageOf('PAGE-6'));
  for (const [tab] of TABS) {
    const { text } = await staff.get(`${pageOf('PAGE-6')}${tab}`);
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/assets)|<img|\sonerror=alert\(1\)>'/);
  }
});

test('shows viewers no form and rejects their requests', async () => {
  await stage('PAGE-7', 7);
  const { text } = await viewer.get(pageOf('PAGE-7'));
  const ofAccount = text.match(/action="[^"]*"/g)!.filter((action) => action.includes('/accounts/'));
  expect(ofAccount).toEqual([`action="${pageOf('PAGE-7')}/reveal"`]);
  expect(text).not.toContain('popovertarget="dialog-');
  for (const action of ['skip', 'unskip', 'switch-status', 'notes/0/pin', 'notes/0/unpin', 'retry']) {
    const answer = await viewer.post(`${pageOf('PAGE-7')}/${action}`, [['reason', 'x']]);
    expect({ action, status: answer.status }).toEqual({ action, status: 403 });
  }
});
