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

const CAUSE = '/stuck?cause=database_refuses_data';

/** The page of the cause once it lists this number of items, each with a late next attempt. */
async function pageWith(rows: number): Promise<string> {
  let text = '';
  await until(async () => {
    ({ text } = await visitor.get(CAUSE));
    const tries = [...text.matchAll(/<td class="number">(\d+)<\/td>/g)].map(([, tried]) => Number(tried));
    return tries.length === rows && tries.every((tried) => tried >= 3);
  });
  return text;
}

test('shows cause, remedy and run of stuck work, and resumes the selected items at a retry', async () => {
  const refuse = (condition: string) =>
    service.database.pool.query(`alter table account_campaign drop constraint if exists no_poison,
      add constraint no_poison check (not (${condition}))`);
  await refuse(`slug like 'poison%'`);
  await createPoisoned('POISON-1', 1);
  await createPoisoned('POISON-2', 2);
  await createPoisoned('POISON-3', 3);
  const text = await pageWith(3);
  expect(text).toContain('SUPPLIER_FR/POISON-1');
  expect(text).toContain('Stage corrected data for the account, or mark it to skip');
  const namespace = service.settings.TEMPORAL_NAMESPACE;
  expect(text).toContain(
    `href="http://127.0.0.1:8233/namespaces/${namespace}/workflows/create-account%2FSUPPLIER_FR%2FPOISON-1"`,
  );
  // The others would resume automatically at their next attempt.
  await refuse(`slug in ('poison-2', 'poison-3')`);
  const id = Buffer.from('create-account/SUPPLIER_FR/POISON-1').toString('base64url');
  const gone = Buffer.from('create-account/SUPPLIER_FR/GONE').toString('base64url');
  const back: [string, string] = ['back', CAUSE];
  expect(await visitor.post('/stuck/retry', [back, ['id', id], ['id', gone]])).toMatchObject({
    status: 303,
    location: CAUSE,
  });
  expect((await visitor.get(CAUSE)).text).toContain('1 retried, 1 completed in the meantime.');
  expect((await visitor.get(CAUSE)).text).not.toContain('1 retried');
  await until(() => isImported('POISON-1'));
  expect(await isImported('POISON-2')).toBe(false);

  await refuse('false');
  const ofCause = await visitor.post('/stuck/retry-cause', [['cause', 'database_refuses_data']]);
  expect(ofCause).toMatchObject({ status: 303, location: CAUSE });
  await until(async () => (await isImported('POISON-2')) && (await isImported('POISON-3')));
  const { rows } = await service.database.pool.query(
    `select actor_name, subject from audit_entry where action = 'stuck.retried' order by at`,
  );
  expect(rows).toEqual([
    { actor_name: 'staff all / Ada', subject: `stuck/${id}` },
    { actor_name: 'staff all / Ada', subject: 'stuck/cause/database_refuses_data' },
  ]);
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

test('rejects an unknown cursor with an error page', async () => {
  const answer = await visitor.get('/stuck?cursor=wrong');
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('The cursor is not valid.');
});

test('shows stored work while Temporal is away, and an error page where nothing is stored', async () => {
  const away = await startService({ temporal: false });
  const siteAway = await startSite(away);
  try {
    const person = await siteAway.signedIn();
    const answer = await person.get('/stuck');
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('Temporal is unavailable or overloaded');
    await away.database.pool.query(
      `insert into work_item (workflow_id, kind, input, cause, party, failure, failing_since)
       values ('verify-payment-instruction/1', 'verify-payment-instruction',
         '{"importSupplier": "SUPPLIER_FR", "externalAccountNumber": "PAYS-1"}',
         'vendor_unavailable', 'SLIMPAY', 'SlimPay does not answer.', now())`,
    );
    await until(async () => (await person.get('/stuck')).status === 200);
    const { text } = await person.get('/stuck');
    expect(text).toContain('SlimPay does not answer.');
    expect(text).toContain('SUPPLIER_FR/PAYS-1');
    expect(text).toContain('At least 1 stuck');
    // Postgres counts this cause exactly.
    expect(text).not.toContain('<small>At least</small>');
  } finally {
    await siteAway.stop();
    await away.stop();
  }
});
