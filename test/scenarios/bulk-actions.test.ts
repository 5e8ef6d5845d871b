import { afterAll, expect, test } from '@jest/globals';
import { deleteOldBulkResults } from '../../src/bulk-actions/index.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { message, switchTestOf } from '../support/switching.ts';

// Bulk actions on thousands of items, each with the effect of the action on a single item.

/** Messages of unknown accounts; BULK_MESSAGES=100000 is the long form. */
const MESSAGES = Number(process.env['BULK_MESSAGES'] ?? 3_000);
const AT_ONCE = 1_000;

const service = await startService({ worker: true });
afterAll(() => service.stop());
const tests = await switchTestOf(service);
const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

async function runToEnd(body: object): Promise<any> {
  const started = await tests.operate('POST', 'bulk-actions/', { reason: 'Decided with the supplier.', ...body });
  expect(started).toMatchObject({ status: 202 });
  let found: any;
  await until(async () => {
    found = (await tests.operate('GET', `bulk-actions/${started.body.bulk_action_id}/`)).body;
    return found.status === 'COMPLETED';
  });
  return found;
}
const resultsOf = async ({ bulk_action_id: id }: any): Promise<any[]> =>
  (await tests.operate('GET', `bulk-actions/${id}/results/`)).body;

test('dismisses all messages of a supplier in one action with one audit entry', async () => {
  await query(`insert into import_supplier (code, name) values ('OTHER', 'Other')`);
  await query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, received_at, effect)
     select 'M-' || n, 'message', case when n % 3 = 0 then 'OTHER' else 'SUPPLIER_FR' end, 'NOBODY-' || n, 'ACCEPTED', now(), now() - interval '1 hour' - n / ${AT_ONCE} * interval '1 second', 'unknown-account'
     from generate_series(1, $1::integer) n`,
    [MESSAGES],
  );
  const filter = { cause: 'market_message_unknown_account', import_supplier: 'SUPPLIER_FR' };
  const matched = MESSAGES - Math.floor(MESSAGES / 3);
  const done = await runToEnd({ action: 'dismiss', filter });
  expect(done).toMatchObject({ matched, handled: matched, outcomes: { done: matched, gone: 0, refused: 0 } });
  expect(new Set((await resultsOf(done)).map(({ item }) => item)).size).toBe(matched);
  expect(await query(`select effect, count(*)::integer from market_message group by 1 order by 1`)).toEqual([
    { effect: 'dismissed', count: matched },
    { effect: 'unknown-account', count: MESSAGES - matched },
  ]);
  const audited = await query(`select action, after from audit_entry where action like 'bulk_action.%'`);
  expect(audited).toMatchObject([{ action: 'bulk_action.started', after: { action: 'dismiss', filter, matched } }]);
  expect(await query(`select 1 from audit_entry where action = 'market_message.set_aside'`)).toEqual([]);
});

test('assigns messages to the accounts of another supplier with the same numbers', async () => {
  await tests.create('BULK-A1', ['31000000000001']);
  await tests.send(
    message('BULK-A1', 'ACCEPTED', { import_supplier: 'OTHER', supply_point_identifier: '31000000000001' }),
    message('BULK-A2', 'ACCEPTED', { import_supplier: 'OTHER' }),
  );
  const filter = { import_supplier: 'OTHER', older_than_seconds: 0 };
  const before = MESSAGES - (MESSAGES - Math.floor(MESSAGES / 3));
  const done = await runToEnd({ action: 'assign', filter, to_import_supplier: 'SUPPLIER_FR' });
  expect(done.outcomes).toMatchObject({ done: 1, gone: before + 1 });
  await tests.become('BULK-A1', 'IN_PROGRESS');
});

test('decides about the held points of all accounts that match', async () => {
  for (const external of ['FIRST', 'SECOND', 'THIRD']) {
    await tests.create(`BULK-${external}`, ['32000000000001', '32000000000002']);
  }
  const filter = { cause: 'supply_point_on_another_account' };
  const done = await runToEnd({ action: 'decide', filter, decision: 'LEAVE' });
  expect(done).toMatchObject({ matched: 2, outcomes: { done: 2 } });
  for (const external of ['SECOND', 'THIRD']) expect(await tests.status(`BULK-${external}`)).toBe('REJECTED');
  expect(await tests.status('BULK-FIRST')).toBe('PENDING');
});

test('retries the runs of quarantined accounts, and skips them', async () => {
  await query(`alter table account add constraint of_test check (external_account_number not like 'BULK-Q%')`);
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const post = (path: string, body: unknown) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
  const externals = Array.from({ length: 5 }, (_, n) => `BULK-Q${n}`);
  for (const [n, external] of externals.entries()) {
    await post(
      'create-or-update',
      domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, n),
    );
    await post('process', {
      external_account_number: external,
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    });
  }
  const failing = `select 1 from work_item where cause = 'database_refuses_data'`;
  await until(async () => (await query(failing)).length === externals.length);
  const filter = { cause: 'database_refuses_data', party: 'operator', import_supplier: 'SUPPLIER_FR' };
  const retried = await runToEnd({ action: 'retry', filter });
  const { done, in_progress: inProgress } = retried.outcomes;
  expect(done + inProgress).toBe(externals.length);
  await runToEnd({ action: 'skip', filter });
  expect(await query(`select skip_reason from import_process where external_account_number like 'BULK-Q%'`)).toEqual(
    externals.map(() => ({ skip_reason: 'Decided with the supplier.' })),
  );
  await query('alter table account drop constraint of_test');
  await until(async () => (await query(failing)).length === 0);
});

test('requests switches again that the industry switch did not answer', async () => {
  const number = await tests.create('BULK-S1', [['33000000000001', '2030-01-01']]);
  await query(`update work_item set state = 'unreachable' where workflow_id = $1`, [`switch-supplier/${number}`]);
  const done = await runToEnd({ action: 'retry', filter: { cause: 'industry_switch_unreachable' } });
  expect(done.outcomes).toMatchObject({ done: 1 });
  expect(await resultsOf(done)).toMatchObject([{ external_account_number: 'BULK-S1', outcome: 'done' }]);
  await until(async () => (await query(`select 1 from work_item where state = 'unreachable'`)).length === 0);
});

test('continues after a pause, and leaves the remaining items of a cancelled action unchanged', async () => {
  await query(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.01); return null; end'`,
  );
  await query('create trigger slow after update on market_message for each row execute function slow()');
  const { body } = await tests.operate('POST', 'bulk-actions/', {
    action: 'dismiss',
    filter: { import_supplier: 'OTHER' },
    reason: 'Old messages.',
  });
  const at = `bulk-actions/${body.bulk_action_id}/`;
  const read = async () => (await tests.operate('GET', at)).body;
  await until(async () => (await read()).handled > 0, 20);
  const paused = (await tests.operate('POST', `${at}pause/`, { reason: 'Wait.' })).body;
  expect(paused.status).toBe('PAUSED');
  expect((await read()).handled).toBe(paused.handled);
  await tests.operate('POST', `${at}resume/`, { reason: 'Go on.' });
  await until(async () => (await read()).handled > paused.handled, 20);
  const cancelled = (await tests.operate('POST', `${at}cancel/`, { reason: 'Wrong supplier.' })).body;
  expect(cancelled.status).toBe('CANCELLED');
  await query('drop function slow cascade');
  const left = await query(`select count(*)::integer from market_message where effect = 'unknown-account'`);
  expect(left[0].count).toBe(cancelled.matched - cancelled.handled);
});

test('deletes the outcomes of items after their days, and keeps the counts and the outcomes of newer actions', async () => {
  const [old, newer] = await query(
    `select id, handled from bulk_action where action = 'dismiss' and handled > 0 order by id`,
  );
  await query(`update bulk_action set ended_at = now() - interval '31 days' where id = $1`, [old.id]);
  await deleteOldBulkResults(service.database, { JOB_RESULTS_KEPT_DAYS: 30 })();
  expect(await resultsOf({ bulk_action_id: old.id })).toEqual([]);
  expect((await tests.operate('GET', `bulk-actions/${old.id}/`)).body).toMatchObject({ handled: old.handled });
  expect(await query('select results_deleted_at is not null as yes from bulk_action where id = $1', [old.id])).toEqual([
    { yes: true },
  ]);
  expect(await resultsOf({ bulk_action_id: newer.id })).toHaveLength(newer.handled);
});
