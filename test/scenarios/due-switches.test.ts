import { afterAll, expect, test } from '@jest/globals';
import { dispatchPace, workflowIds } from '../../temporal.config.ts';
import { claimDueWork, enqueueWork } from '../../src/platform/work-items/work-item.store.ts';
import { startIndustrySwitchSimulator } from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { inDays, message, switchTestOf } from '../support/switching.ts';

const FAR = Number(process.env['SWITCHES_FAR'] ?? 100_000);

const simulator = await startIndustrySwitchSimulator();
const service = await startService({
  worker: true,
  settings: { INDUSTRY_SWITCH_URL: simulator.url, SWITCH_LEAD_TIME_DAYS: '14' },
});
const tests = await switchTestOf(service);
afterAll(async () => {
  await simulator.stop();
  await service.stop();
});

const workItemOf = async (number: string) =>
  (
    await service.database.pool.query(
      `select kind, input, state, extract(epoch from start_at - now()) / 86400 as days from work_item where workflow_id = $1`,
      [workflowIds.switchSupplier(number)],
    )
  ).rows[0];

test('schedules the switch the lead time before the first supply start, or now if that has passed', async () => {
  const far = await tests.create('FAR-1', [
    ['21000000000001', inDays(100)],
    ['21000000000002', inDays(60)],
  ]);
  const row = await workItemOf(far);
  expect(row).toMatchObject({
    kind: 'switch-supplier',
    state: null,
    input: { accountNumber: far, importSupplier: 'SUPPLIER_FR', externalAccountNumber: 'FAR-1' },
  });
  expect(Number(row.days)).toBeGreaterThan(44.8);
  expect(Number(row.days)).toBeLessThan(46.1);
  expect(
    Number((await workItemOf(await tests.create('PAST-1', [['21000000000003', '2022-10-01']]))).days),
  ).toBeLessThanOrEqual(0);
  expect(await workItemOf(await tests.create('NO-POINTS-1', []))).toBeUndefined();
});

test('requests the switches of an account with several days on each of them', async () => {
  const number = await tests.create('DAYS-1', ['99110000000001', ['99110000000002', inDays(60)]]);
  await tests.dispatch();
  await tests.become('DAYS-1', 'IN_PROGRESS');
  expect((await tests.view('DAYS-1')).switch_requests).toHaveLength(1);
  // The first is over; the second waits for its day.
  await tests.send(message('DAYS-1', 'COMPLETED', { supply_point_identifier: '99110000000001' }));
  await until(async () => (await tests.view('DAYS-1')).market_messages.every(({ effect }: any) => effect === 'moved'));
  expect(await tests.status('DAYS-1')).toBe('IN_PROGRESS');
  expect(Number((await workItemOf(number)).days)).toBeGreaterThan(44.8);
  // The day comes.
  await service.database.pool.query(
    `update account_supply_point set supply_start_date = current_date where position = 1 and account_id = (select id from account where number = $1)`,
    [number],
  );
  await service.database.pool.query('update work_item set start_at = now() where workflow_id = $1', [
    workflowIds.switchSupplier(number),
  ]);
  await tests.dispatch();
  await until(async () => (await tests.view('DAYS-1')).switch_requests.length === 2);
});

test('schedules no switch for a supplier with industry_switch: false, whose accounts stay PENDING until a message arrives', async () => {
  await tests.operate('PUT', 'import-suppliers/SUPPLIER_FR/', { options: { industry_switch: false } });
  const number = await tests.create('OFF-1', ['21000000000004']);
  expect(await workItemOf(number)).toBeUndefined();
  const before = simulator.requests.length;
  await tests.dispatch();
  expect(await tests.status('OFF-1')).toBe('PENDING');
  await tests.send(message('OFF-1', 'ACCEPTED'));
  await tests.become('OFF-1', 'IN_PROGRESS');
  await tests.send(message('OFF-1', 'COMPLETED'));
  await tests.become('OFF-1', 'COMPLETED');
  expect((await tests.view('OFF-1')).switch_requests).toEqual([]);
  expect(simulator.requests.length).toBe(before);
  await tests.operate('PUT', 'import-suppliers/SUPPLIER_FR/', { options: { industry_switch: null } });
});

test('continues with a new run of pages after the engine has lost one', async () => {
  await tests.create('LOST-1', ['99110000000005']);
  await tests.dispatch();
  await tests.become('LOST-1', 'IN_PROGRESS');
  const requests = simulator.requests.length;
  const pages = service.gateway.client().workflow.getHandle(workflowIds.requestSwitches);
  await pages.terminate('lost with the engine').catch(() => {});
  // The dispatcher starts it for due switches, a message at once.
  await tests.create('LOST-2', ['99110000000006']);
  await tests.dispatch();
  await tests.become('LOST-2', 'IN_PROGRESS');
  await pages.terminate('lost with the engine').catch(() => {});
  await tests.send(message('LOST-1', 'COMPLETED'));
  await tests.become('LOST-1', 'COMPLETED');
  expect(simulator.requests.length).toBe(requests + 1);
});

test('needs no run for a switch in progress', async () => {
  const number = await tests.create('RUNS-1', ['99110000000007']);
  await tests.dispatch();
  await tests.become('RUNS-1', 'IN_PROGRESS');
  await until(async () => Number((await workItemOf(number)).days) > 29.9);
  await until(
    async () =>
      (await service.database.pool.query(`select 1 from work_item where kind = 'request-switches'`)).rows.length === 0,
  );
  expect(await tests.openRuns()).toEqual([]);
});

test('spends one query on accounts that are not due: no run, no memory', async () => {
  await service.database.pool.query(
    `
    insert into work_item (workflow_id, kind, input, start_at)
    select 'switch-supplier/FAR' || n, 'switch-supplier', jsonb_build_object('accountNumber', 'FAR' || n, 'importSupplier', 'SUPPLIER_FR', 'externalAccountNumber', 'F' || n), now() + interval '30 days'
    from generate_series(1, $1::integer) n`,
    [FAR],
  );
  await service.database.pool.query('analyze work_item');
  const before = process.memoryUsage().rss;
  const started = performance.now();
  expect(await tests.dispatch()).toBe(0);
  const roundMs = performance.now() - started;
  const { queryMs, blocks } = await costOf(
    `select workflow_id from work_item where kind = 'switch-supplier' and not runs_alone and state is distinct from 'signalled' and input ->> 'importSupplier' = 'SUPPLIER_FR' and start_at <= now() order by start_at limit 200`,
  );
  if (process.env['FIGURES']) {
    const rssMb = (process.memoryUsage().rss - before) / 1_048_576;
    process.stderr.write(
      `${FAR} accounts not due: a round ${roundMs.toFixed(1)} ms, its query ${queryMs} ms and ${blocks} blocks, ${rssMb.toFixed(1)} MB more\n`,
    );
  }
  expect(await tests.openRuns()).toEqual([]);
  // An index lookup, for any number of waiting switches.
  expect(blocks).toBeLessThan(50);
  // They do not appear in the list of stuck work either.
  expect((await tests.operate('GET', 'stuck/')).body).toMatchObject({ stuck: [], complete: true, total: 0 });
});

test('does not queue work of waiting callers behind due switches', async () => {
  const { pool } = service.database;
  await pool.query(
    `update work_item set start_at = now() - interval '1 hour' where workflow_id like 'switch-supplier/FAR%'`,
  );
  await enqueueWork(service.database, [
    { workflowId: 'create-account/SUPPLIER_FR/WAITED-FOR', kind: 'create-account', input: {} },
  ]);
  await pool.query(`update work_item set start_at = now() where workflow_id = 'create-account/SUPPLIER_FR/WAITED-FOR'`);
  await pool.query(`update work_item set runs_alone = true where workflow_id = 'switch-supplier/FAR7'`);
  await pool.query('vacuum analyze work_item');
  expect((await claimDueWork(service.database, dispatchPace)).map(({ workflowId }) => workflowId).sort()).toEqual([
    'create-account/SUPPLIER_FR/WAITED-FOR',
    'switch-supplier/FAR7',
  ]);
  const { queryMs, blocks } = await costOf(
    `select workflow_id from work_item where start_at <= now() and (kind <> 'switch-supplier' or runs_alone) and (state is not distinct from 'signalled' or start_at - created_at <= interval '31 seconds') and coalesce(input ->> 'importSupplier', '') = 'SUPPLIER_FR' order by start_at limit 50`,
  );
  if (process.env['FIGURES']) {
    process.stderr.write(`work that is waited for, behind ${FAR} due switches: ${queryMs} ms, ${blocks} blocks\n`);
  }
  expect(blocks).toBeLessThan(50);
});

/** The cost of a query for due work. */
async function costOf(query: string): Promise<{ queryMs: number; blocks: number }> {
  const {
    rows: [plan],
  } = await service.database.pool.query(`explain (analyze, buffers, format json) ${query}`);
  const { 'Execution Time': queryMs, Plan: top } = plan['QUERY PLAN'][0];
  return { queryMs, blocks: top['Shared Hit Blocks'] };
}
