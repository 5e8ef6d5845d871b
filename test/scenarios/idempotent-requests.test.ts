import { afterAll, afterEach, expect, test } from '@jest/globals';
import { addAccounts, payment } from '../support/attachments.ts';
import { startApi, type ApiProcess } from '../support/api-process.ts';
import { startCutProxy, type CutProxy } from '../support/cut-proxy.ts';
import { send, startService, type Answer } from '../support/harness.ts';
import { until } from '../support/until.ts';

// Requests with an Idempotency-Key that lose their process, client or database halfway. Without a key these requests
// would take effect twice.

let proxy: CutProxy;
let other: ApiProcess | undefined;
const service = await startService({ throughProxy: async (url) => (proxy = await startCutProxy(url)) });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
afterEach(async () => {
  await other?.kill();
  other = undefined;
});

const pay = (url: string, external: string, signal?: AbortSignal): Promise<Answer> =>
  send(url, 'POST', '/v1/data-import/transactions/create/?check_previously_added=false', {
    token,
    headers: { 'idempotency-key': external },
    body: { import_supplier: 'SUPPLIER_FR', external_account_number: external, transactions: [payment(external)] },
    ...(signal === undefined ? {} : { signal }),
  });
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
const payments = async (external: string) =>
  (await service.database.pool.query('select 1 from transaction where transaction_id = $1', [external])).rowCount;

/** Locks what a request needs until it is released; `reached` resolves when a request waits for it. */
async function hold(statement: string, values: unknown[] = []) {
  const client = await service.database.pool.connect();
  await client.query('begin');
  await client.query(statement, values);
  return {
    reached: () =>
      until(async () => {
        const { rowCount } = await service.database.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and application_name = 'gangway-http'`,
        );
        return rowCount === 1;
      }),
    letGo: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}
const holdAccount = (external: string) =>
  hold('select 1 from account where external_account_number = $1 for update', [external]);

/** Ends the claims of processes that no longer work on their request, as their time does. */
const expireClaims = () =>
  service.database.pool.query('update idempotency_key set claimed_until = now() where claim is not null');

/** Repeats the request while another one with the key is in progress. */
async function untilAnswered(sent: () => Promise<Answer>): Promise<{ answer: Answer; waits: number }> {
  let waits = 0;
  let answer = await sent();
  await until(async () => {
    if (answer.status !== 409) return true;
    waits += 1;
    answer = await sent();
    return answer.status !== 409;
  });
  return { answer, waits };
}

test('answers a repetition with a wait after the process of a request was killed, and then runs it once', async () => {
  await addAccounts(service, ['KILLED']);
  other = await startApi(service);
  const held = await holdAccount('KILLED');
  const lost = pay(other.url, 'KILLED').catch(() => 'lost');
  await held.reached();
  await other.kill();
  expect(await lost).toBe('lost');
  expect(await pay(service.url, 'KILLED')).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
  await held.letGo();
  await expireClaims();
  const { answer } = await untilAnswered(() => pay(service.url, 'KILLED'));
  expect([answer.status, isReplay(answer), await payments('KILLED')]).toEqual([201, false, 1]);
  expect(isReplay(await pay(service.url, 'KILLED'))).toBe(true);
});

test("rolls back a frozen process's request that another one completed meanwhile, and keeps the response", async () => {
  other = await startApi(service);
  const populate = (url: string) =>
    send(url, 'POST', '/v1/data-import/supply-point/populate/', {
      token,
      headers: { 'idempotency-key': 'frozen' },
      body: { prm_ids: ['25000000000001'] },
    });
  const held = await hold('lock table population_batch in access exclusive mode');
  const late = populate(other.url);
  await held.reached();
  other.freeze();
  await held.letGo();
  await expireClaims();
  const { answer } = await untilAnswered(() => populate(service.url));
  expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  other.thaw();
  expect(await late).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
  const { rows } = await service.database.pool.query('select id from population_batch');
  expect(rows).toEqual([{ id: answer.body.batch_id }]);
  const again = await populate(service.url);
  expect([again.body, isReplay(again)]).toEqual([answer.body, true]);
});

test('returns the response to a client that disconnected and repeats its request', async () => {
  await addAccounts(service, ['GONE']);
  const held = await holdAccount('GONE');
  const disconnecting = new AbortController();
  const lost = pay(service.url, 'GONE', disconnecting.signal).catch(() => 'lost');
  await held.reached();
  disconnecting.abort();
  expect(await lost).toBe('lost');
  await held.letGo();
  const { answer } = await untilAnswered(() => pay(service.url, 'GONE'));
  expect([answer.status, isReplay(answer), await payments('GONE')]).toEqual([201, true, 1]);
});

test('answers 503 when the database fails during a request, and runs it once after recovery', async () => {
  await addAccounts(service, ['AWAY']);
  const held = await holdAccount('AWAY');
  const lost = pay(service.url, 'AWAY');
  await held.reached();
  proxy.cut();
  expect(await lost).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect((await pay(service.url, 'AWAY')).status).toBe(503);
  await held.letGo();
  proxy.mend();
  await expireClaims();
  const { answer } = await untilAnswered(() => pay(service.url, 'AWAY'));
  expect([answer.status, isReplay(answer), await payments('AWAY')]).toEqual([201, false, 1]);
});
