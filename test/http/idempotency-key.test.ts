import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { createLog } from '../../src/platform/log.ts';
import { startApi } from '../../src/processes/start-api.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { addAccounts, payment } from '../support/attachments.ts';
import { until } from '../support/until.ts';
import { send, startService, type Answer } from '../support/harness.ts';

// The header Idempotency-Key as a client sees it, for any operation (docs/suppliers/rules.md).

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const DATA_IMPORT = '/v1/data-import';
interface Sent {
  as?: string;
  headers?: Record<string, string>;
}
const post = (path: string, key: string, body: unknown, { as = token, headers = {} }: Sent = {}): Promise<Answer> =>
  service.call('POST', `${DATA_IMPORT}/${path}`, {
    token: as,
    headers: { 'idempotency-key': key, ...headers },
    ...(body === undefined ? {} : { body }),
  });
const rows = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;
const count = async (table: string) => Number((await rows(`select count(*) from ${table}`))[0].count);
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
const shown = ({ status, body }: Answer) => ({ status, body });

let sequence = 0;
async function anAccount(): Promise<string> {
  sequence += 1;
  await addAccounts(service, [`IDEM-${sequence}`]);
  return `IDEM-${sequence}`;
}
const withPayment = (external: string, id: string) => ({
  import_supplier: 'SUPPLIER_FR',
  external_account_number: external,
  transactions: [payment(id)],
});
const UNCHECKED = 'transactions/create/?check_previously_added=false';

test('runs a repeated request once and returns the same response', async () => {
  const body = withPayment(await anAccount(), 'T-1');
  const first = await post(UNCHECKED, 'once', body);
  expect([first.status, isReplay(first)]).toEqual([201, false]);
  for (const key of ['once', '"once"']) {
    const again = await post(UNCHECKED, key, body);
    expect([shown(again), isReplay(again)]).toEqual([shown(first), true]);
  }
  expect(await rows('select transaction_id from transaction')).toEqual([{ transaction_id: 'T-1' }]);
  // The same without the header, to show that the key makes the difference.
  await service.call('POST', `${DATA_IMPORT}/${UNCHECKED}`, { token, body });
  expect(await count('transaction')).toBe(2);
});

test.each(['', 'two words', 'k'.repeat(256), 'clé'])('rejects a malformed key without any effect: %j', async (key) => {
  const before = await count('population_batch');
  const answer = await post('supply-point/populate/', Buffer.from(key).toString('latin1'), {
    prm_ids: ['25000000000007'],
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key', errors: [] } });
  expect(await count('population_batch')).toBe(before);
});

test('treats compressed bodies and trailing slashes as the same request', async () => {
  const body = { prm_ids: ['25000000000001'] };
  const first = await post('supply-point/populate/', 'packed', body);
  const packed = await post('supply-point/populate', 'packed', gzipSync(JSON.stringify(body)), {
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
  });
  expect([shown(packed), isReplay(packed)]).toEqual([shown(first), true]);
  expect(await count('population_batch')).toBe(1);
});

test('rejects another body, query or path with a used key', async () => {
  const external = await anAccount();
  const body = withPayment(external, 'T-OTHER');
  expect((await post(UNCHECKED, 'reused', body)).status).toBe(201);
  const before = await count('transaction');
  const others = [
    await post(UNCHECKED, 'reused', withPayment(external, 'T-ANOTHER')),
    await post('transactions/create/', 'reused', body),
    await post('notes/create/', 'reused', body),
  ];
  for (const answer of others) {
    expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', errors: [] } });
  }
  expect(await count('transaction')).toBe(before);
});

test('accepts a corrected request with the key of a rejected one', async () => {
  const external = 'IDEM-LATER';
  const body = withPayment(external, 'T-LATER');
  expect(await post(UNCHECKED, 'refused', { ...body, transactions: [{}] })).toMatchObject({ status: 400 });
  expect(await post(UNCHECKED, 'refused', body)).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  await addAccounts(service, [external]);
  const done = await post(UNCHECKED, 'refused', body);
  expect([done.status, isReplay(done)]).toEqual([201, false]);
  expect(isReplay(await post(UNCHECKED, 'refused', body))).toBe(true);
});

test('repeats the response of a creation, and permanent rejections', async () => {
  const staged = domesticAccount({ import_supplier: 'SUPPLIER_FR' }, 1);
  const { external_account_number: external } = staged;
  const body = {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const stagedAs = await post('account-import-process/create-or-update/', 'stage', staged);
  expect(stagedAs.status).toBe(201);
  const created = await post('account-import-process/process/', 'create', body);
  expect(created.status).toBe(201);
  const again = await post('account-import-process/process/', 'create', body);
  expect([shown(again), isReplay(again)]).toEqual([shown(created), true]);
  const other = await post('account-import-process/process/', 'create-otherwise', body);
  expect(other).toMatchObject({ status: 400, body: { code: 'account_import_process_already_imported' } });
  const otherAgain = await post('account-import-process/process/', 'create-otherwise', body);
  expect([shown(otherAgain), isReplay(otherAgain)]).toEqual([shown(other), true]);
  const asProblem = await send(service.url, 'POST', `${DATA_IMPORT}/account-import-process/process/`, {
    token,
    body,
    headers: { accept: 'application/problem+json', 'idempotency-key': 'create-otherwise' },
  });
  expect(asProblem.body).toMatchObject({ ...other.body, status: 400 });
  const stagedAgain = await post('account-import-process/create-or-update/', 'stage', staged);
  expect([shown(stagedAgain), isReplay(stagedAgain)]).toEqual([shown(stagedAs), true]);
});

test('finds its own account when a creation is handled again with its key', async () => {
  const staged = domesticAccount({ import_supplier: 'SUPPLIER_FR' }, 2);
  const body = {
    external_account_number: staged.external_account_number,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  await post('account-import-process/create-or-update/', 'stage-2', staged);
  const created = await post('account-import-process/process/', 'create-2', body);
  // The state that a process leaves that ends between the creation and its response.
  await rows(
    `update idempotency_key set status = null, answer = null, claim = gen_random_uuid(), claimed_until = now() - interval '1 second' where external_account_number = $1 and answer like '%service_account_number%'`,
    [staged.external_account_number],
  );
  const again = await post('account-import-process/process/', 'create-2', body);
  expect([shown(again), isReplay(again)]).toEqual([shown(created), false]);
});

test('runs one of a hundred concurrent copies through two processes, and answers the others', async () => {
  const other = await startApi({
    settings: service.settings,
    gateway: service.gateway,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  try {
    const before = await count('population_batch');
    const body = { prm_ids: ['25000000000002'] };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send(index % 2 === 0 ? service.url : other.url, 'POST', `${DATA_IMPORT}/supply-point/populate/`, {
          token,
          body,
          headers: { 'idempotency-key': 'hundred' },
        }),
      ),
    );
    expect(await count('population_batch')).toBe(before + 1);
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(done.map((answer) => answer.body.batch_id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  } finally {
    await other.stop();
  }
});

test('separates keys by organisation and by import suppliers', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/OTHER/', { token: service.operatorToken, body: {} });
  const body = { prm_ids: ['25000000000003'] };
  const mine = await post('supply-point/populate/', 'shared', body);
  const ofOtherOrganisation = await post('supply-point/populate/', 'shared', body, {
    as: await service.supplierToken(['SUPPLIER_FR']),
  });
  expect([
    ofOtherOrganisation.status,
    isReplay(ofOtherOrganisation),
    ofOtherOrganisation.body.batch_id === mine.body.batch_id,
  ]).toEqual([201, false, false]);
  // Another key of the same organisation.
  const [{ organisation_id: organisation }] = await rows(
    `select organisation_id from api_key k join access_token t on t.api_key_id = k.id where t.sha256 = sha256(convert_to($1, 'UTF8'))`,
    [token],
  );
  const ofOrganisation = async (codes: string[]) => {
    const issued = await service.supplierToken(codes);
    await rows(
      `update api_key k set organisation_id = $2 from access_token t where t.api_key_id = k.id and t.sha256 = sha256(convert_to($1, 'UTF8'))`,
      [issued, organisation],
    );
    return issued;
  };
  const ofMoreSuppliers = await post('supply-point/populate/', 'shared', body, {
    as: await ofOrganisation(['SUPPLIER_FR', 'OTHER']),
  });
  expect([ofMoreSuppliers.status, isReplay(ofMoreSuppliers)]).toEqual([201, false]);
  const replaced = await post('supply-point/populate/', 'shared', body, { as: await ofOrganisation(['SUPPLIER_FR']) });
  expect([shown(replaced), isReplay(replaced)]).toEqual([shown(mine), true]);
});

test('stores no key in the table, and one row for claim and response', async () => {
  await post('supply-point/populate/', 'very-secret-key', { prm_ids: ['25000000000004'] });
  const [{ text }] = await rows(`select string_agg(k::text, ' ') as text from idempotency_key k`);
  expect(text).not.toContain('very-secret-key');
  expect(text).not.toContain(Buffer.from('very-secret-key').toString('hex'));
  expect(await rows('select 1 from idempotency_key where claim is not null')).toEqual([]);
});

test('stores the response of a call without a body', async () => {
  const opened = await post('import-jobs/', 'open-job', {
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    goal: 'VALIDATE',
  });
  expect(opened.status).toBe(201);
  expect(
    shown(
      await post('import-jobs/', 'open-job', { import_supplier: 'SUPPLIER_FR', kind: 'accounts', goal: 'VALIDATE' }),
    ),
  ).toEqual(shown(opened));
  expect(await count('import_job')).toBe(1);
  const path = `import-jobs/${opened.body.job_id}`;
  expect((await post(`${path}/start/`, 'start-job', undefined)).body.code).toBe('import_job_parts_missing');
  const cancelled = await post(`${path}/cancel/`, 'cancel-job', undefined);
  expect([cancelled.status, shown(await post(`${path}/cancel/`, 'cancel-job', undefined))]).toEqual([
    200,
    shown(cancelled),
  ]);
  const ended = await post(`${path}/pause/`, 'pause-job', undefined);
  expect(ended).toMatchObject({ status: 400, body: { code: 'import_job_ended' } });
  expect(isReplay(await post(`${path}/pause/`, 'pause-job', undefined))).toBe(true);
});

test('stores no more responses beyond the quota of an organisation, and returns the stored ones', async () => {
  const log = createLog({ level: 'silent', process: 'test' });
  const settings = { ...service.settings, IDEMPOTENCY_ANSWERS_MAX: 2 };
  const other = await startApi({ settings, gateway: service.gateway, log });
  try {
    const own = await service.supplierToken(['SUPPLIER_FR']);
    const sent = (key: string) =>
      send(other.url, 'POST', `${DATA_IMPORT}/supply-point/populate/`, {
        token: own,
        headers: { 'idempotency-key': key },
        body: { prm_ids: ['25000000000006'] },
      });
    const [first] = [await sent('one'), await sent('two')];
    expect(await sent('three')).toMatchObject({ status: 429, body: { code: 'throttled' } });
    expect([shown(await sent('one')), isReplay(await sent('two'))]).toEqual([shown(first), true]);
    // Counts are stored for all processes.
    await until(async () => (await rows('select 1 from idempotency_use where answers = 2')).length === 1);
    expect((await sent('three')).status).toBe(429);
  } finally {
    await other.stop();
  }
});

test('stores nothing without the header, and ignores it for other methods', async () => {
  const before = await count('idempotency_key');
  await service.call('POST', `${DATA_IMPORT}/supply-point/populate/`, { token, body: { prm_ids: ['25000000000005'] } });
  await service.call('GET', `${DATA_IMPORT}/import-jobs/`, { token, headers: { 'idempotency-key': 'read' } });
  expect(await count('idempotency_key')).toBe(before);
});
