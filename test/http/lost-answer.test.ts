import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { mayWrite } from '../../src/platform/database/lost-answer.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { addAccounts, payment } from '../support/attachments.ts';
import { startCutProxy, type CutProxy } from '../support/cut-proxy.ts';
import { startService, type Answer } from '../support/harness.ts';
import { until } from '../support/until.ts';

// The database executes a statement, and its response is lost: a caller that receives "nothing was done" would repeat
// it.

const ROOT = join(import.meta.dirname, '../..');
let proxy: CutProxy;
const service = await startService({
  temporal: false,
  throughProxy: async (url) => (proxy = await startCutProxy(url)),
});
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
await addAccounts(service, ['COMMIT', 'STATEMENT', 'ALONE', 'KEYED', 'AWAY']);

const pay = (external: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call('POST', '/v1/data-import/transactions/create/?check_previously_added=false', {
    token,
    headers,
    body: { import_supplier: 'SUPPLIER_FR', external_account_number: external, transactions: [payment(external)] },
  });
const payments = async (external: string) =>
  (await service.database.pool.query('select 1 from transaction where transaction_id = $1', [external])).rowCount;
const unknown = {
  status: 503,
  headers: { 'retry-after': '5' },
  body: {
    code: 'service_unavailable',
    outcome: 'unknown',
    detail: expect.stringContaining('the outcome of the request is unknown'),
  },
};
const nothingDone = {
  status: 503,
  body: { code: 'service_unavailable', detail: expect.stringContaining('nothing was started') },
};

test('reports an unknown outcome when the answer to a commit is lost', async () => {
  proxy.loseAnswerTo('commit');
  expect(await pay('COMMIT', { 'idempotency-key': 'commit' })).toMatchObject(unknown);
  expect(await payments('COMMIT')).toBe(1);
});

test('reports that nothing was done when the answer to a statement of a transaction is lost', async () => {
  proxy.loseAnswerTo('attach-plain-transactions');
  const answer = await pay('STATEMENT', { 'idempotency-key': 'statement' });
  expect(answer).toMatchObject(nothingDone);
  expect(answer.body).not.toHaveProperty('outcome');
  expect(await payments('STATEMENT')).toBe(0);
});

test('reports an unknown outcome when the answer to a writing function is lost', async () => {
  proxy.loseAnswerTo('attach-plain-transactions');
  expect(await pay('ALONE')).toMatchObject(unknown);
  expect(await payments('ALONE')).toBe(1);
});

test('reports an unknown outcome when the answer to a single statement is lost', async () => {
  const body = { ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }), external_account_number: 'STAGED' };
  const stage = () => service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  proxy.loseAnswerTo('insert into import_process ');
  expect(await stage()).toMatchObject(unknown);
  expect(await stage()).toMatchObject({ status: 200 });
});

test('returns the lost response for an Idempotency-Key, and runs the request once', async () => {
  const headers = { 'idempotency-key': 'lost-answer' };
  proxy.loseAnswerTo('commit');
  expect(await pay('KEYED', headers)).toMatchObject(unknown);
  expect(await pay('KEYED', headers)).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
  expect(await payments('KEYED')).toBe(1);
});

test('never reports an unknown outcome for reads', async () => {
  proxy.loseAnswerTo('sequence_events');
  const answer = await service.call('GET', '/v1/data-import/events/', { token });
  expect(answer).toMatchObject(nothingDone);
  expect(answer.body).not.toHaveProperty('outcome');
});

test('reports that nothing was done when the database is unreachable', async () => {
  proxy.cut();
  // Data sent on a connection that is being lost may have arrived.
  await until(async () => !('outcome' in (await pay('AWAY')).body));
  expect(await pay('AWAY')).toMatchObject(nothingDone);
  proxy.mend();
  expect(await payments('AWAY')).toBe(0);
});

test('knows every SQL function that writes', () => {
  const files = globSync('src/**/*.sql', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const functions = files.flatMap((text) => [
    ...text.matchAll(/create (?:or replace )?function (\w+)([\s\S]*?)\bas \$/gi),
  ]);
  const writing = functions.filter(([, , kind = '']) => !/returns trigger|\b(?:stable|immutable)\b/i.test(kind));
  expect(writing.length).toBeGreaterThan(8);
  // can_write rolls back its own writes.
  const unknown = writing.map(([, name]) => name).filter((name) => !mayWrite(`select ${name}($1) as outcome`));
  expect(unknown).toEqual(['can_write']);
});

test.each<[string, boolean]>([
  ['select id from account where number = $1', false],
  ['commit', true],
  ['rollback', false],
  ['with a as (insert into note (id) values ($1) returning id) select id from a', true],
])('%s: writes %s', (text, isWriting) => {
  expect(mayWrite(text)).toBe(isWriting);
});
