import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { until } from '../support/until.ts';
import { operatorKey, waveAccount, waveClient, type WaveClient } from '../support/waves.ts';

let service: Service;
let site: Site;
let client: WaveClient;
let ada: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  client = await waveClient(service);
  ada = await site.signedIn('all');
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

const of = (wave: string) => `/waves/${wave}`;

/** Names of the forms that the page of a wave offers. */
async function actionsOf(visitor: Visitor, wave: string): Promise<string[]> {
  const { text } = await visitor.get(of(wave));
  return [...text.matchAll(/id="action-([\w-]+)"/g)].map(([, step]) => step!);
}

/** A part of a page as words. */
const wordsOf = (markup: string) => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

/** A rehearsed wave with some accounts. */
async function rehearsed(externals: string[], more: object = {}): Promise<string> {
  const wave = await client.open(more);
  await client.stage(wave, externals);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  return wave;
}

/** Sends a form of a wave with the fields that its page has, and follows the redirect. @returns the message on the page */
async function send(visitor: Visitor, wave: string, step: string, fields: [string, string][]): Promise<string> {
  const { text } = await visitor.get(of(wave));
  const [, seen] = /name="requested_at" value="([^"]*)"/.exec(text) ?? [];
  const hidden: [string, string][] = seen === undefined ? [] : [['requested_at', seen]];
  const answer = await visitor.post(`${of(wave)}/${step}`, [...hidden, ...fields]);
  expect({ step, status: answer.status, location: answer.location }).toEqual({ step, status: 303, location: of(wave) });
  return /<p class="flash[^>]*>([^<]*)/.exec((await visitor.get(of(wave))).text)![1]!;
}

const reason: [string, string] = ['reason', 'Agreed by phone.'];

test('shows waves on a board by gate, filters them by supplier, and lists ended waves below', async () => {
  const empty = await client.open({ name: 'Brittany empty' });
  const ready = await rehearsed(['W-1'], { name: 'Brittany ready', options: { requires_approval: true } });
  const ended = await client.open({ name: 'Brittany ended' });
  await client.post(ended, 'cancel');
  // The list shows stored counts.
  await client.see(ready);
  const { text } = await viewer.get('/waves?import_supplier=SUPPLIER_FR');
  const columnOf = (id: string) => {
    const before = text.slice(0, text.indexOf(`href="/waves/${id}"`));
    return wordsOf(before.slice(before.lastIndexOf('<h2')))
      .trim()
      .split(' ')[0];
  };
  expect([columnOf(empty), columnOf(ready), columnOf(ended)]).toEqual(['Preparing', 'Rehearsed', 'Ended']);
  expect(text).toContain('<option value="SUPPLIER_FR" selected>');
  const other = (await viewer.get('/waves?import_supplier=NOBODY')).text;
  expect(other).toContain('No wave is in progress.');
  expect(other).not.toContain('Brittany');
  const part = await viewer.get('/waves/list?import_supplier=SUPPLIER_FR', { 'hx-request': 'true' });
  expect(part.text).toMatch(/^<section id="waves" hx-get="\/waves\/list\?import_supplier=SUPPLIER_FR"/);
});

test('opens a wave with its plan, and uploads to it', async () => {
  expect((await ada.get('/waves')).text).toContain('href="/waves/new"');
  expect((await viewer.get('/waves')).text).not.toContain('/waves/new');
  expect((await viewer.get('/waves/new')).status).toBe(403);
  const fields = (more: Record<string, string>): [string, string][] =>
    Object.entries({ import_supplier: 'SUPPLIER_FR', operations_team_name: 'Migration', ...more });
  const rejected = await ada.post(
    '/waves/new',
    fields({ name: 'By form', create_from: '2098-12-31T22:00', create_until: '2098-12-31T21:00', canary: '5' }),
  );
  expect(rejected.status).toBe(400);
  expect(rejected.text).toContain('The plan ends before it begins');
  expect(rejected.text).toMatch(/name="canary"[^>]*value="5"|value="5"[^>]*name="canary"/);
  const plan = { create_from: '2098-12-31T22:00', create_until: '2099-01-01T06:00', canary: '5', stop_percent: '2' };
  const opened = await ada.post('/waves/new', fields({ name: 'By form', ...plan }));
  expect({ status: opened.status, location: opened.location }).toEqual({
    status: 303,
    location: expect.stringMatching(/^\/waves\/[\w-]{36}$/),
  });
  const wave = opened.location!.slice('/waves/'.length);
  expect(await client.see(wave)).toMatchObject({
    status: 'PREPARING',
    plan: { create_from: '2098-12-31T21:00:00.000Z', create_until: '2099-01-01T05:00:00.000Z' },
    options: { canary: 5, stop_after_failures: { percent: 2 } },
  });
  const { rows } = await service.database.pool.query(
    `select action, actor_name from audit_entry where subject = $1 and action = 'wave.opened'`,
    [`waves/${wave}`],
  );
  expect(rows).toEqual([{ action: 'wave.opened', actor_name: 'staff all / Ada' }]);
  const [, upload] = /href="(\/jobs\/new[^"]*)"[^>]*>Upload to this wave</.exec((await ada.get(of(wave))).text) ?? [];
  const form = (await ada.get(upload!.replaceAll('&amp;', '&'))).text;
  expect(form).toMatch(new RegExp(`name="wave_id"[^>]*value="${wave}"|value="${wave}"[^>]*name="wave_id"`));
  expect(form).toContain('<option value="STAGE" selected>');
});

test('shows planned nights in a calendar', async () => {
  const day = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10);
  const next = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  const plan = { create_from: `${day}T21:00:00Z`, create_until: `${next}T04:00:00Z` };
  await client.open({ name: 'By night', plan });
  const { text } = await viewer.get('/waves');
  const nights = [...text.matchAll(/<time datetime="([\d-]+)">[^<]*<\/time>\s*<ul>([^]*?)<\/ul>/g)];
  expect(nights.filter(([, , waves]) => waves!.includes('By night')).map(([, night]) => night)).toEqual([day]);
  const hours = /(\d\d:\d\d)–(\d\d:\d\d)/.exec(wordsOf(nights.find(([, , waves]) => waves!.includes('By night'))![2]!));
  expect(hours?.slice(1)).toEqual(expect.arrayContaining([expect.stringMatching(/^2[23]:00$/)]));
});

test('a second person approves on the site: not the person who asked, and nobody with a key of the scope operate', async () => {
  const wave = await rehearsed(['X-1', 'X-2'], { options: { requires_approval: true } });
  expect(await actionsOf(ada, wave)).toEqual(['rehearse', 'request-approval', 'move', 'change-plan', 'cancel']);
  expect(await actionsOf(viewer, wave)).toEqual([]);
  expect((await ada.post(`${of(wave)}/request-approval`, [])).status).toBe(400);
  expect(await send(ada, wave, 'request-approval', [reason])).toContain('Another person has to decide');

  expect(await actionsOf(ada, wave)).toEqual(['rehearse', 'move', 'change-plan', 'cancel']);
  expect((await ada.get(of(wave))).text).toContain('You asked for this approval, so another person has to decide.');
  // The form is not shown, but a request without it is rejected all the same.
  expect(await send(ada, wave, 'approve', [reason])).toContain('Ask a second person.');

  const operator = await site.signedIn('operate');
  expect(await actionsOf(operator, wave)).toEqual(['rehearse', 'move', 'change-plan', 'cancel']);
  const refused = await operator.post(`${of(wave)}/approve`, [reason]);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('Your key has the scope operate, which does not allow this.');

  const bob = await site.signedIn('approve');
  expect(await actionsOf(bob, wave)).toEqual(['approve', 'decline', 'rehearse', 'move', 'change-plan', 'cancel']);
  const stale = await bob.post(`${of(wave)}/approve`, [['requested_at', '2026-01-01T00:00:00.000Z'], reason]);
  expect(stale.location).toBe(of(wave));
  expect((await bob.get(of(wave))).text).toContain('Nothing was changed: approval was requested again meanwhile.');
  expect(await send(bob, wave, 'approve', [reason])).toBe('The request is approved.');
  const { text } = await ada.get(of(wave));
  expect(wordsOf(text)).toMatch(
    /Asked by staff all \/ Ada .* Reason Agreed by phone\. .* Decided by staff approve \/ Ada/,
  );
  expect(await actionsOf(ada, wave)).toEqual(['rehearse', 'create', 'move', 'change-plan', 'cancel']);
  const { rows } = await service.database.pool.query(
    `select action, actor_name, reason from audit_entry where subject = $1 and actor_name like 'staff%' order by at`,
    [`waves/${wave}`],
  );
  expect(rows).toEqual([
    { action: 'wave.approval_requested', actor_name: 'staff all / Ada', reason: 'Agreed by phone.' },
    { action: 'wave.approved', actor_name: 'staff approve / Ada', reason: 'Agreed by phone.' },
  ]);
});

test('lists the accounts that changed since an approval, and offers another rehearsal and request', async () => {
  const wave = await rehearsed(['Y-1', 'Y-2'], { options: { requires_approval: true } });
  await client.operate(wave, 'request-approval', { reason: 'Rehearsed.' });
  const stageAgain = (external: string) =>
    service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
      token: client.jobs.token,
      body: { ...waveAccount(external), sales_channel: 'TELESALES' },
    });
  await stageAgain('Y-1');
  const bob = await site.signedIn('approve');
  const words = async () => wordsOf((await bob.get(of(wave))).text);
  await until(async () => (await words()).includes('1 account changed since, so that the request cannot be approved'));
  expect(await actionsOf(bob, wave)).toEqual(['decline', 'rehearse', 'move', 'change-plan', 'cancel']);
  expect((await bob.get(of(wave))).text).toContain(`href="/waves/${wave}/changed"`);
  const list = (await bob.get(`${of(wave)}/changed`)).text;
  expect(list).toContain('href="/accounts/SUPPLIER_FR/Y-1"');
  expect(list).not.toContain('Y-2');
  const early = await bob.get(`${of(wave)}/early-starts`);
  expect(early.text).toContain('The switches of these accounts cannot be requested in time');
  expect(await send(bob, wave, 'rehearse', [])).toBe('The rehearsal was started.');
  await client.untilGate(wave, 'rehearsed', 'passed');
  await client.operate(wave, 'request-approval', { reason: 'Again.' });
  expect(await send(bob, wave, 'approve', [reason])).toBe('The request is approved.');
  await stageAgain('Y-2');
  await until(async () => (await words()).includes('1 account changed since, so that the approval has expired'));
});

test('creates, pauses, resumes and signs off, and offers only what is possible', async () => {
  const wave = await rehearsed(['Z-1', 'Z-2', 'Z-3'], { options: { canary: 1 } });
  expect(await send(ada, wave, 'create', [['reason', 'The night has come.']])).toBe('The creation was requested.');
  await until(async () => (await ada.get(of(wave))).text.includes('>PAUSED: canary<'));
  expect((await ada.get('/waves')).text).toMatch(new RegExp(`/waves/${wave}"[^]*?badge-warn">PAUSED: canary<`));
  const paused = wordsOf((await ada.get(of(wave))).text);
  expect(paused).not.toContain('CREATING');
  expect(paused).toContain('The rehearsal tried all 2 pending accounts');
  const { creation_job_id: creation } = await client.see(wave);
  const decision = (await ada.get(`/jobs/${creation}`)).text;
  expect(decision).toMatch(/>Created<[^]*?>1<[^]*?about 3<[^]*?>1</);
  expect(decision).not.toContain('not rehearsed');
  expect(await actionsOf(ada, wave)).toEqual(['resume', 'move', 'cancel']);
  expect((await ada.get(of(wave))).text).toContain('Accepts the result of the canary');
  expect(await send(ada, wave, 'resume', [])).toBe('The wave was resumed.');
  await client.untilGate(wave, 'created', 'passed');
  await until(async () => (await client.see(wave)).status === 'CREATED');
  expect(await actionsOf(ada, wave)).toEqual(['move']);
  expect(await send(ada, wave, 'pause', [])).toContain('The status of the wave is CREATED');
  const { rows } = await service.database.pool.query('select creation_job_id from wave where id = $1', [wave]);
  const body = { job_id: rows[0].creation_job_id };
  await service.call('POST', '/v1/data-import/reconciliations/', { token: client.jobs.token, body });
  await client.untilGate(wave, 'reconciled', 'passed');
  const { text } = await ada.get(of(wave));
  expect(text).toMatch(/href="\/certificates\/[\w-]+">Certificate</);
  expect(text).toContain(`href="/jobs/${rows[0].creation_job_id}">Job<`);
  expect(text).toMatch(/<desc id="plan-desc">\s*Plan: at any time\. Started .*; 3 of 3 created by /);
  const timeline = wordsOf(text.slice(text.indexOf('id="timeline"')));
  expect(timeline).toContain('“The night has come.”');
  expect(timeline).toMatch(/Job ended: Wave \d+ accounts, CREATE 3 succeeded, 0 failed/);
  expect(await send(ada, wave, 'sign-off', [reason])).toBe('The wave is signed off.');
  expect(await actionsOf(ada, wave)).toEqual([]);
  expect((await ada.get(of(wave))).text).not.toContain('hx-get');
});

test('excludes faulty records and moves accounts with a reason', async () => {
  const [wave, other] = [await client.open(), await client.open()];
  const jobId = await client.importLines(wave, 'accounts', 'STAGE', [
    waveAccount('V-1'),
    { ...waveAccount('V-2'), account_type: 'CASTLE' },
  ]);
  await client.untilGate(wave, 'valid', 'blocked');
  const { text } = await viewer.get(of(wave));
  expect(text).toContain(`href="/jobs/${jobId}/records/failed?code=invalid_choice&amp;place=account_type"`);
  expect(await actionsOf(ada, wave)).toContain('exclude');
  expect(await send(ada, wave, 'exclude', [reason])).toBe('1 excluded.');
  expect(wordsOf((await ada.get(of(wave))).text)).toContain('V-2 Agreed by phone. staff all / Ada');
  expect(await actionsOf(ada, wave)).not.toContain('exclude');

  expect((await ada.post(`${of(other)}/move`, [reason, ['accounts', '']])).status).toBe(400);
  const accounts: [string, string] = ['accounts', 'V-1\r\n\r\nV-1\r\nNOBODY\r\n'];
  expect(await send(ada, other, 'move', [reason, accounts])).toBe('1 of 2 moved.');
  expect((await client.see(other)).counts.accounts).toBe(1);
  expect(await send(ada, other, 'cancel', [reason])).toContain('The wave was canceled.');
  expect((await ada.get('/waves/019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f')).status).toBe(404);
  expect((await ada.get('/waves/none')).status).toBe(404);
});

test('asks for approval of a withdrawal, which another person gives', async () => {
  const wave = await rehearsed(['T-1'], { options: { requires_approval: true } });
  const bob = await site.signedIn('approve');
  await send(ada, wave, 'request-approval', [reason]);
  await send(bob, wave, 'approve', [reason]);
  await send(ada, wave, 'create', []);
  await until(async () => (await client.see(wave)).status === 'CREATED');
  expect((await ada.get(`${of(wave)}/withdraw`)).text).toContain(`action="${of(wave)}/request-withdrawal-approval"`);
  expect(await send(ada, wave, 'request-withdrawal-approval', [reason])).toContain('Another person has to decide');
  expect(await actionsOf(ada, wave)).toEqual(['move']);
  expect(await actionsOf(bob, wave)).toEqual(['approve', 'decline', 'move']);
  expect((await bob.get(of(wave))).text).toContain('Allows the withdrawal of exactly 1 account');
  const at = `${of(wave)}/withdraw`;
  const shown = await ada.get(at);
  expect(wordsOf(shown.text)).toContain('a second person must approve its withdrawal. Approval is requested.');
  expect(shown.text).not.toContain(`${at}/start`);
  const early = await ada.post(`${at}/start`, [reason]);
  expect({ status: early.status, text: early.text }).toEqual({
    status: 400,
    text: expect.stringContaining('a second person must approve its withdrawal'),
  });
  expect(await send(bob, wave, 'approve', [reason])).toBe('The request is approved.');
  expect((await ada.get(at)).text).toContain(`action="${at}/start"`);
  expect(wordsOf((await ada.get(of(wave))).text)).toMatch(/Withdrawal Asked by staff all .* Decided by staff approve/);
});

test('withdraws a wave after a preview, and shows its withdrawals with their receipts', async () => {
  const wave = await rehearsed(['R-1', 'R-2']);
  expect((await ada.get(of(wave))).text).not.toContain(`${of(wave)}/withdraw`);
  expect((await ada.get(`${of(wave)}/withdraw`)).text).toContain('The status of the wave is PREPARING');
  await send(ada, wave, 'create', []);
  await until(async () => (await client.see(wave)).status === 'CREATED');
  const note = { import_supplier: 'SUPPLIER_FR', external_account_number: 'R-2', notes: [{ body: 'A call.' }] };
  await service.call('POST', '/v1/data-import/notes/create/', { token: client.jobs.token, body: note });
  const at = `${of(wave)}/withdraw`;
  expect((await viewer.get(of(wave))).text).not.toContain(at);
  expect((await viewer.get(at)).status).toBe(403);
  expect((await ada.get(of(wave))).text).toContain(`href="${at}"`);
  expect((await ada.get(at)).text).toContain(`hx-get="${at}/preview"`);
  expect(wordsOf((await ada.get(`${at}/preview`)).text)).toMatch(
    /can be withdrawn 1 .* are kept 1 .* notes_added .* R-2/,
  );
  const started = await ada.post(`${at}/start`, [reason]);
  expect(started.location).toMatch(/^\/withdrawals\//);
  await until(async () => (await ada.get(started.location!)).text.includes('COMPLETED'));
  const receipt = (await ada.get(started.location!)).text;
  expect(receipt).toContain(`href="${of(wave)}"`);
  expect(receipt).toContain(`href="${started.location}/kept"`);
  expect((await ada.get(`${started.location}/kept`)).text).toBe(
    '{"external_account_number":"R-2","obstacles":["notes_added"]}\n',
  );
  const { text } = await ada.get(of(wave));
  expect(text).toContain(`href="${started.location}">Receipt<`);
  expect(wordsOf(text.slice(text.indexOf('id="withdrawals"')))).toMatch(
    /Receipt COMPLETED 1 1 staff all \/ Ada Agreed by phone\./,
  );
  expect((await client.see(wave)).status).toBe('CREATED');
});

test('updates the forms only when others apply, and shows waves in progress on the overview', async () => {
  const wave = await rehearsed(['U-1'], { name: 'On the overview' });
  const { text } = await ada.get(of(wave));
  const again = /hx-get="([^"]*progress[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&');
  expect((await ada.get(again, { 'hx-request': 'true' })).text).not.toContain('id="actions"');
  await client.operate(wave, 'request-approval', { reason: 'Rehearsed.' }, await operatorKey(service, 'first'));
  const changed = (await ada.get(again, { 'hx-request': 'true' })).text;
  expect(changed).toContain('<section id="actions" hx-swap-oob="true">');
  expect(changed).toContain('id="action-approve"');
  const overview = (await viewer.get('/overview')).text;
  const [waves, suppliers] = [overview.indexOf('In progress'), overview.indexOf('Import suppliers')];
  expect(waves).toBeGreaterThan(0);
  expect(waves).toBeLessThan(suppliers);
  expect(overview.slice(waves, suppliers).match(/href="\/waves\/[\w-]{36}"/g)!.length).toBeLessThanOrEqual(8);
});

test('changes the plan, shows what an approval was given for, and refuses a form of an older plan', async () => {
  const wave = await rehearsed(['N-1'], {
    plan: { create_from: '2098-12-31T21:00:30Z' },
    options: { requires_approval: true, stop_after_failures: { percent: 2 } },
  });
  const bob = await site.signedIn('approve');
  await send(ada, wave, 'request-approval', [reason]);
  await send(bob, wave, 'approve', [reason]);
  /** The fields of the form as the page shows them. */
  const fieldsOf = async (): Promise<[string, string][]> => {
    const { text } = await ada.get(of(wave));
    const form = text.slice(text.indexOf('id="action-change-plan"'));
    const inputs = [...form.slice(0, form.indexOf('</form>')).matchAll(/<input ([^>]*)>/g)].map(([, of]) => of!);
    const valueOf = (input: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? '';
    return inputs.map((input): [string, string] => [valueOf(input, 'name'), valueOf(input, 'value')]);
  };
  const shown = (await fieldsOf()).filter(([name]) => name !== 'form_token' && name !== 'reason');
  expect(Object.fromEntries(shown)).toMatchObject({
    plan_revision: '1',
    create_from: '2098-12-31T22:00',
    create_until: '',
    stop_percent: '2',
  });
  const change = async (changed: Record<string, string>) => {
    const fields = shown.map(([name, value]): [string, string] => [name, changed[name] ?? value]);
    expect((await ada.post(`${of(wave)}/change-plan`, [...fields, reason])).status).toBe(303);
    return /<p class="flash[^>]*>([^<]*)/.exec((await ada.get(of(wave))).text)![1]!;
  };
  expect(await change({})).toBe('Nothing was changed: the plan has these values.');
  const later = { create_until: '2099-01-01T06:00', canary: '10', stop_percent: '', stop_count: '7' };
  expect(await change(later)).toBe('The plan was changed. It has to be approved again.');
  expect(await client.see(wave)).toMatchObject({
    // The seconds that the form does not show stay.
    plan: { create_from: '2098-12-31T21:00:30.000Z', create_until: '2099-01-01T05:00:00.000Z' },
    options: { canary: 10, stop_after_failures: { count: 7 } },
  });
  const { text } = await ada.get(of(wave));
  expect(wordsOf(text)).toContain('The plan changed since, so that the approval has expired. Ask again.');
  expect(wordsOf(text)).toContain('Plan creation from Wed 31 Dec, 22:00, pauses after 2 % failures');
  expect(wordsOf(text.slice(text.indexOf('id="timeline"')))).toContain('canary: none → 10');
  expect(await change({ canary: '11' })).toBe('The plan was changed meanwhile. Check it, and change it again.');
  expect((await viewer.post(`${of(wave)}/change-plan`, [reason])).status).toBe(403);
});
