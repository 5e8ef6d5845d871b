import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { until } from '../support/until.ts';

let service: Service;
let site: Site;
let visitor: Visitor;
let token: string;
beforeAll(async () => {
  service = await startService({ worker: true, settings: { CREATION_TIMEOUT_MS: '1000' } });
  site = await startSite(service);
  token = await service.supplierToken(['SUPPLIER_FR']);
  visitor = await site.signedIn();
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

/** Creates an account that the database rejects until the test corrects it. */
async function createPoisoned(external: string, sequence: number): Promise<void> {
  const body = domesticAccount(
    {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      account_campaigns: [{ slug: `poison-${sequence}` }],
    },
    sequence,
  );
  const send = (path: string, content: unknown) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body: content });
  await send('create-or-update', body);
  await send('process', {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  });
}

const isImported = async (external: string) =>
  (await service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, { token })).body
    .service_account_number !== '';

const wordsOf = (markup: string) => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const CAUSE = '/stuck?cause=database_refuses_data';

const startRetries = (reason: string) =>
  visitor.post('/bulk-actions/start', [
    ['action', 'retry'],
    ['cause', 'database_refuses_data'],
    ['reason', reason],
  ]);

/** Retries two items that stay stuck, and checks what the page of the action says then. */
async function retryInVain(): Promise<void> {
  const { location: at } = await startRetries('A first try.');
  expect((await visitor.get(at!)).text).toContain('The action is running.');
  await until(async () => (await visitor.get(at!)).text.includes('COMPLETED'));
  const ended = (await visitor.get(`${at}/progress?shown=RUNNING`, { 'hx-request': 'true' })).text;
  // Parts that depend on the state come along, and the message that the action runs goes.
  expect(ended).toContain('<div id="message" hx-swap-oob="true"></div>');
  expect(ended.slice(ended.indexOf('id="steering"'))).not.toContain('<form');
  expect((await visitor.get(`${at}/progress?shown=COMPLETED`)).text).not.toContain('hx-swap-oob');
  expect(wordsOf(ended)).toMatch(/2 retried 2 still stuck/);
  expect(ended).toContain('href="/stuck?cause=database_refuses_data">2<');
}

test('shows groups, items and runs of stuck work, and retries selected and all items', async () => {
  const refuse = (condition: string) =>
    service.database.pool.query(`alter table account_campaign drop constraint if exists no_poison,
      add constraint no_poison check (not (${condition}))`);
  await refuse(`slug like 'poison%'`);
  for (const n of [1, 2, 3]) await createPoisoned(`POISON-${n}`, n);
  await until(async () => wordsOf((await visitor.get('/stuck')).text).includes('Retry all 3'));
  const { text: groups } = await visitor.get('/stuck');
  expect(wordsOf(groups)).toMatch(
    /You decide 3 .* Database rejects the data database_refuses_data You 3 3 in the last hour .* SUPPLIER_FR Accounts are not created\. Stage corrected data/,
  );
  expect(groups).not.toContain('Nothing is stuck');
  const { text } = await visitor.get(CAUSE);
  expect(text).toContain('SUPPLIER_FR/POISON-1');
  expect(text).toContain('Stage corrected data for the account, or mark it to skip');
  expect(wordsOf((await visitor.get(`${CAUSE}&import_supplier=SUPPLIER_FR&older_than=3600`)).text)).toContain(
    '0 items match',
  );
  // The others would resume automatically at their next attempt.
  await refuse(`slug in ('poison-2', 'poison-3')`);
  const id = Buffer.from('create-account/SUPPLIER_FR/POISON-1').toString('base64url');
  const { text: item } = await visitor.get(`/stuck/items/${id}`);
  const namespace = service.settings.TEMPORAL_NAMESPACE;
  expect(item).toContain(
    `href="http://127.0.0.1:8233/namespaces/${namespace}/workflows/create-account%2FSUPPLIER_FR%2FPOISON-1"`,
  );
  const gone = Buffer.from('create-account/SUPPLIER_FR/GONE').toString('base64url');
  expect((await visitor.get(`/stuck/items/${gone}`)).status).toBe(404);
  const back: [string, string] = ['back', CAUSE];
  expect(await visitor.post('/stuck/retry', [back, ['id', id], ['id', gone]])).toMatchObject({
    status: 303,
    location: CAUSE,
  });
  const { text: message } = await visitor.get(CAUSE);
  expect(message).toContain('completed in the meantime.');
  expect((await visitor.get(CAUSE)).text).not.toContain('completed in the meantime.');
  await until(() => isImported('POISON-1'));
  expect(await isImported('POISON-2')).toBe(false);

  const preview = await visitor.get('/bulk-actions/new?action=retry&cause=database_refuses_data&party=operator');
  expect(wordsOf(preview.text)).toContain('SUPPLIER_FR/POISON-2');
  await retryInVain();
  const started = await startRetries('The constraint was removed.');
  expect(started).toMatchObject({ status: 303, location: expect.stringMatching(/^\/bulk-actions\//) });
  const at = started.location!;
  // Only now, because the accounts also resume automatically at their next attempt.
  await refuse('false');
  await until(async () => (await visitor.get(at)).text.includes('COMPLETED'));
  await until(async () => (await isImported('POISON-2')) && (await isImported('POISON-3')));
  const shown = wordsOf((await visitor.get(at)).text);
  for (const said of ['The constraint was removed.', 'staff all / Ada', 'Retry 2: Database rejects the data']) {
    expect(shown).toContain(said);
  }
  expect((await visitor.get(`${at}/results`)).text).toContain('create-account/SUPPLIER_FR/POISON-');
  expect(wordsOf((await visitor.get('/bulk-actions')).text)).toContain('Database rejects the data COMPLETED');
  await until(async () => wordsOf((await visitor.get('/stuck')).text).includes('Nothing is stuck'));
});

test('pauses, resumes and cancels a bulk action with a reason', async () => {
  const { rows } = await service.database.pool.query(
    `insert into bulk_action (id, action, filter, parameters, requested_by, reason, matched)
     values (gen_random_uuid(), 'dismiss', '{"cause": "market_message_unknown_account"}', '{}', 'Ada', 'Old messages.', 20) returning id`,
  );
  const at = `/bulk-actions/${rows[0].id}`;
  const steer = async (verb: string) => {
    expect(await visitor.post(`${at}/${verb}`, [['reason', 'A test.']])).toMatchObject({ status: 303, location: at });
    return wordsOf((await visitor.get(at)).text);
  };
  expect(await steer('pause')).toContain('PAUSED');
  expect((await visitor.get(at)).text).toContain(`action="${at}/resume"`);
  expect(await steer('resume')).toContain('continues');
  expect(await steer('cancel')).toMatch(/CANCELLED|COMPLETED/);
  expect((await visitor.get('/bulk-actions.csv')).text).toMatch(/(?:CANCELLED|COMPLETED)/);
  expect((await visitor.get('/bulk-actions/none')).status).toBe(404);
  expect((await visitor.get('/bulk-actions/new?action=none')).status).toBe(400);
});

test('reports a form without a selection, and redirects only to this page', async () => {
  expect(await visitor.post('/stuck/retry', [['back', 'https://elsewhere.example/']])).toMatchObject({
    status: 303,
    location: '/stuck',
  });
  expect((await visitor.get('/stuck')).text).toContain('No item was selected.');
  const many = Array.from({ length: 101 }, (_, index): [string, string] => ['id', `id-${index}`]);
  expect(await visitor.post('/stuck/retry', many)).toMatchObject({ status: 400 });
});

test('rejects invalid filters with an error page', async () => {
  await service.database.pool.query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, effect)
     values ('M-1', 'message', 'SUPPLIER_FR', 'NOBODY', 'ACCEPTED', now(), 'unknown-account')`,
  );
  const list = '/stuck?cause=market_message_unknown_account';
  await until(async () => (await visitor.get(list)).text.includes('SUPPLIER_FR/NOBODY'));
  for (const wrong of ['cursor=wrong', 'older_than=x', 'wave=first']) {
    expect((await visitor.get(`${list}&${wrong}`)).status).toBe(400);
  }
  expect((await visitor.get('/stuck?account=NOBODY&cursor=wrong')).status).toBe(400);
});

test('shows stored work while Temporal is away', async () => {
  const away = await startService({ temporal: false });
  const siteAway = await startSite(away);
  try {
    const person = await siteAway.signedIn();
    expect(wordsOf((await person.get('/stuck')).text)).toContain('Nothing is stuck');
    expect(wordsOf((await person.get('/stuck/runs')).text)).toContain('Temporal is unavailable or overloaded');
    await away.database.pool.query(
      `insert into work_item (workflow_id, kind, input, cause, party, failure, failing_since)
       values ('verify-payment-instruction/1', 'verify-payment-instruction',
         '{"importSupplier": "SUPPLIER_FR", "externalAccountNumber": "PAYS-1"}',
         'vendor_unavailable', 'SLIMPAY', 'SlimPay does not answer.', now())`,
    );
    await until(async () => (await person.get('/stuck')).text.includes('Outside party unavailable'));
    const { text } = await person.get('/stuck?cause=vendor_unavailable');
    expect(text).toContain('SlimPay does not answer.');
    expect(text).toContain('SUPPLIER_FR/PAYS-1');
    expect(wordsOf(text)).toContain('1 item matches');
    expect(text).not.toContain('At least');
    const id = Buffer.from('verify-payment-instruction/1').toString('base64url');
    expect(wordsOf((await person.get(`/stuck/items/${id}`)).text)).toContain('Payment instructions are not in force.');
  } finally {
    await siteAway.stop();
    await away.stop();
  }
});
