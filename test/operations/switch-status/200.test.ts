import { afterAll, expect, test } from '@jest/globals';
import { startIndustrySwitchSimulator } from '../../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { inDays, message, switchTestOf } from '../../support/switching.ts';

const simulator = await startIndustrySwitchSimulator({
  pauseMs: 100,
  deliver: async (messages) => {
    await tests.send(...messages);
  },
});
const service = await startService({ worker: true, settings: { INDUSTRY_SWITCH_URL: simulator.url } });
const tests = await switchTestOf(service);
afterAll(async () => {
  await simulator.stop();
  await service.stop();
});

const put = (external: string, body: object) =>
  tests.operate('PUT', `account-import-processes/SUPPLIER_FR/${external}/switch-status/`, body);
const audit = async (external: string) =>
  (await tests.operate('GET', `audit/?subject=account-import-processes/SUPPLIER_FR/${external}/switch-status`)).body;
/** An account is rejected as soon as one point is, while another point's message may still be in transit. */
const pointsEnded = async (external: string): Promise<number> =>
  (await tests.view(external)).switch_history.filter(({ to }: any) => ['REJECTED', 'COMPLETED'].includes(to)).length;

test('sends a rejected account again until it is completed, and keeps who did it and why', async () => {
  const number = await tests.create('AGAIN-1', ['99060000000001', '21000000000002']);
  await tests.dispatch();
  await until(async () => (await pointsEnded('AGAIN-1')) === 2);
  expect(await tests.status('AGAIN-1')).toBe('REJECTED');
  const sent = simulator.requests.length;
  // The customer has signed: only the rejected point is requested again. This network operator rejects it once more.
  const done = await put('AGAIN-1', {
    status: 'PENDING',
    supply_point_identifier: '99060000000001',
    reason: 'signed now',
  });
  expect(done).toMatchObject({
    status: 200,
    body: {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'AGAIN-1',
      service_account_number: number,
      status: 'IN_PROGRESS',
      supply_points: [
        { identifier: '99060000000001', supply_type: 'ELECTRICITY', status: 'PENDING' },
        { identifier: '21000000000002', status: 'COMPLETED' },
      ],
    },
  });
  await tests.become('AGAIN-1', 'REJECTED');
  expect(simulator.requests.length).toBe(sent + 1);
  const { switch_requests: requests } = await tests.view('AGAIN-1');
  expect(requests.map(({ supply_point_identifier: point, round, answer }: any) => [point, round, answer])).toEqual([
    ['99060000000001', 1, 'ACCEPTED'],
    ['21000000000002', 1, 'ACCEPTED'],
    ['99060000000001', 2, 'ACCEPTED'],
  ]);
  // Set by hand in the end.
  expect((await put('AGAIN-1', { status: 'COMPLETED', reason: 'told by phone' })).body.status).toBe('COMPLETED');
  expect(await tests.status('AGAIN-1')).toBe('COMPLETED');
  // A repetition changes nothing, and leaves no row.
  expect((await put('AGAIN-1', { status: 'COMPLETED', reason: 'told again' })).status).toBe(200);
  expect(await audit('AGAIN-1')).toMatchObject([
    {
      action: 'switch_status.set',
      reason: 'told by phone',
      before: { status: 'REJECTED' },
      after: { status: 'COMPLETED' },
      actor: { key_id: expect.any(String) },
    },
    {
      action: 'switch_status.set',
      reason: 'signed now',
      before: { status: 'REJECTED' },
      after: { status: 'IN_PROGRESS' },
    },
  ]);
  const { switch_history: history } = await tests.view('AGAIN-1');
  expect(history.at(-1)).toMatchObject({ by: 'hand', to: 'COMPLETED', reason: 'told by phone' });
});

test('shows an immediate rejection by the network operator as REJECTED, with its reason', async () => {
  await tests.create('REFUSED-1', ['99010000000001']);
  await tests.dispatch();
  await tests.become('REFUSED-1', 'REJECTED');
  expect((await tests.view('REFUSED-1')).switch_history).toMatchObject([
    { from: 'PENDING', to: 'REJECTED', by: 'answer', reason: 'POINT_NOT_SWITCHABLE' },
  ]);
  await until(async () => (await service.database.pool.query('select 1 from work_item')).rows.length === 0);
});

test.each([
  ['answers by message, out of order', '99070000000001'],
  ['answers by message', '99100000000001'],
  ['sends each message twice', '99080000000001'],
  ['is busy at first', '99020000000001'],
])('completes with a network operator that %s', async (_what, point) => {
  const external = `SIM-${point}`;
  await tests.create(external, [point]);
  await tests.dispatch();
  await tests.become(external, 'COMPLETED');
  const { switch_history: history, switch_requests: requests } = await tests.view(external);
  expect(history.map(({ to }: any) => to).at(-1)).toBe('COMPLETED');
  expect(requests).toHaveLength(1);
  await tests.stuck(external, 0);
});

test('accepts a state by hand without Temporal, and settles unmatched messages by it', async () => {
  await tests.create('HAND-1', [['23000000000003', inDays(60)]]);
  await tests.send(message('HAND-1', 'COMPLETED'));
  await tests.stuck('HAND-1', 1);
  expect((await put('HAND-1', { status: 'COMPLETED', reason: 'it is so' })).body).toMatchObject({
    status: 'COMPLETED',
  });
  await tests.stuck('HAND-1', 0);
  // The switch is over, so no work item remains, also after a repetition.
  await until(
    async () =>
      (await service.database.pool.query(`select 1 from work_item where input ->> 'externalAccountNumber' = 'HAND-1'`))
        .rows.length === 0,
  );
  await tests.send(message('HAND-1', 'COMPLETED'));
  await until(async () => (await tests.view('HAND-1')).market_messages.at(-1).effect === 'changed-nothing');
});

test('accepts every state, and shows it on the account immediately', async () => {
  await tests.create('EVERY-1', [['24000000000004', inDays(60)]]);
  for (const status of ['IN_PROGRESS', 'REJECTED', 'COMPLETED', 'PENDING']) {
    expect((await put('EVERY-1', { status, reason: 'test' })).body.status).toBe(status);
    expect(await tests.status('EVERY-1')).toBe(status);
  }
});
