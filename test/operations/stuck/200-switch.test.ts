import { afterAll, expect, test } from '@jest/globals';
import { startIndustrySwitchSimulator } from '../../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { workflowIds } from '../../../temporal.config.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { inDays, switchTestOf } from '../../support/switching.ts';

const simulator = await startIndustrySwitchSimulator();
const service = await startService({ worker: true, settings: { INDUSTRY_SWITCH_URL: simulator.url } });
const tests = await switchTestOf(service);
afterAll(async () => {
  await simulator.stop();
  await service.stop();
});

test('lists a switch that fails alone in pages and in a run of its own, and retries it; does not list one that waits for messages', async () => {
  await tests.create('WAITS-1', ['99110000000001']);
  const number = await tests.create('DOWN-1', ['99030000000001']);
  const itemOf = async () =>
    (
      await service.database.pool.query('select * from work_item where workflow_id = $1', [
        workflowIds.switchSupplier(number),
      ])
    ).rows[0];
  await tests.dispatch();
  await tests.become('WAITS-1', 'IN_PROGRESS');
  const [item] = await tests.stuck('DOWN-1', 1);
  expect(item).toMatchObject({
    kind: 'switch-supplier',
    workflow_id: workflowIds.switchSupplier(number),
    accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'DOWN-1' }],
    last_failure: { type: 'vendor_unavailable', message: 'The industry switch fails (503).' },
    what_to_do: expect.stringContaining('repeated automatically'),
  });
  expect(await tests.status('DOWN-1')).toBe('PENDING');
  const retry = async () => {
    const before = simulator.requests.length;
    const { body } = await tests.operate('POST', `stuck/${item.id}/retry/`);
    await until(() => simulator.requests.length > before);
    return body;
  };
  expect(await retry()).toMatchObject({ outcome: 'workflow_started' });
  while (!(await itemOf()).runs_alone) await retry();
  await tests.dispatch();
  await until(async () => (await tests.openRuns()).includes(workflowIds.switchSupplier(number)));
  await until(async () => (await tests.stuck('DOWN-1', 1))[0].attempt > 1);
  expect(await retry()).toMatchObject({ outcome: 'activity_reset' });
  // The same request, however often it is sent.
  expect(new Set(simulator.requests).size).toBe(2);
  await tests.stuck('WAITS-1', 0);
  // Set by hand meanwhile, it is not requested again.
  await tests.operate('PUT', 'account-import-processes/SUPPLIER_FR/DOWN-1/switch-status/', {
    status: 'COMPLETED',
    reason: 'told by phone',
  });
  await tests.stuck('DOWN-1', 0);
  await until(async () => !(await tests.openRuns()).includes(workflowIds.switchSupplier(number)));
});

test('lists the run of pages while the industry switch rejects our credentials, and starts no other run', async () => {
  await tests.create('REJECTS-1', ['99130000000001']);
  await tests.dispatch();
  await until(async () =>
    (await tests.operate('GET', 'stuck/')).body.stuck.some(
      ({ workflow_id: id, last_failure: failure }: any) =>
        id === workflowIds.requestSwitches && failure.type === 'vendor_misconfigured',
    ),
  );
  expect(await tests.stuck('REJECTS-1', 1)).toMatchObject([{ last_failure: { type: 'vendor_misconfigured' } }]);
  expect(await tests.openRuns()).toEqual([]);
  await tests.operate('PUT', 'account-import-processes/SUPPLIER_FR/REJECTS-1/switch-status/', {
    status: 'COMPLETED',
    reason: 'told by phone',
  });
  await tests.stuck('REJECTS-1', 0);
});

test.each([
  ['unreachable', 'The industry switch did not answer for a week', '21000000000001'],
  ['silent', 'contact it. A market message continues the switch', '21000000000003'],
])('shows for a switch that is %s what to do, and starts it again on retry', async (state, sentence, point) => {
  const number = await tests.create(`STATE-${state}`, [[point, inDays(90)]]);
  await service.database.pool.query('update work_item set state = $2 where workflow_id = $1', [
    workflowIds.switchSupplier(number),
    state,
  ]);
  const [item] = await tests.stuck(`STATE-${state}`, 1);
  expect(item).toMatchObject({
    kind: 'switch-supplier',
    attempt: 0,
    last_failure: { type: `industry_switch_${state}` },
    what_to_do: expect.stringContaining(sentence),
    next_attempt_at: expect.any(String),
  });
  expect((await tests.operate('POST', `stuck/${item.id}/retry/`)).body).toMatchObject({ outcome: 'workflow_started' });
  // It waits: its day is far.
  await tests.stuck(`STATE-${state}`, 0);
  expect(await tests.status(`STATE-${state}`)).toBe('PENDING');
});

test('lists a switch that was not started long after its day', async () => {
  const number = await tests.create('OVERDUE-1', [['21000000000002', inDays(90)]]);
  await service.database.pool.query(
    `update work_item set start_at = now() - interval '1 hour' where workflow_id = $1`,
    [workflowIds.switchSupplier(number)],
  );
  expect(await tests.stuck('OVERDUE-1', 1)).toMatchObject([
    { kind: 'switch-supplier', what_to_do: expect.stringContaining('dispatcher') },
  ]);
});
