import { afterAll, expect, test } from '@jest/globals';
import { signalWork } from '../../src/platform/work-items/work-item.store.ts';
import { recordStuck, advanceSwitch } from '../../src/switching/apply-events.store.ts';
import { switchWorkItem } from '../../src/switching/index.ts';
import { workflowIds } from '../../temporal.config.ts';
import { startService } from '../support/harness.ts';
import { inDays, message, switchTestOf } from '../support/switching.ts';

// A worker that was frozen during a step of a switch writes its result after later steps of the run.

const service = await startService({ worker: true });
afterAll(() => service.stop());
const tests = await switchTestOf(service);

const context = { leadDays: 0, canRequest: true };
/** Times at which steps were scheduled, by Temporal's clock. */
const [EARLIER, LATER] = [1_790_000_000_000, 1_790_000_060_000];
const step = (number: string, scheduledAtMs: number) =>
  service.database.transaction((em) => advanceSwitch(em, number, context, scheduledAtMs));
const note = (state: 'silent' | 'unreachable', number: string, scheduledAtMs: number) =>
  service.database.transaction((em) => recordStuck(em, number, scheduledAtMs, state));

async function dueStateOf(number: string): Promise<{ state: string | null; hours: number } | undefined> {
  const {
    rows: [row],
  } = await service.database.pool.query(
    'select state, round(extract(epoch from start_at - now()) / 3600)::integer as hours from work_item where workflow_id = $1',
    [workflowIds.switchSupplier(number)],
  );
  return row;
}

test.each([
  ['silence', 'silent'],
  ['an unreachable network operator', 'unreachable'],
] as const)('ignores a record of %s that arrives after a later step', async (_what, state) => {
  const number = await tests.create(`LATE-${state}`, [
    [state === 'silent' ? '31000000000001' : '31000000000011', inDays(40)],
  ]);
  expect(await step(number, EARLIER)).toMatchObject({ kind: 'rest' });
  expect(await step(number, LATER)).toMatchObject({ kind: 'rest' });
  const before = await dueStateOf(number);
  expect(before).toMatchObject({ state: null });
  await note(state, number, EARLIER + 1);
  expect(await dueStateOf(number)).toEqual(before);
});

test.each([
  ['silence', 'silent', { state: 'silent', hours: 12 }],
  ['an unreachable network operator', 'unreachable', { state: 'unreachable', hours: 24 }],
] as const)(
  'stores a record of %s that arrives in order, also when its attempt runs twice',
  async (_what, state, noted) => {
    const number = await tests.create(`TURN-${state}`, [
      [state === 'silent' ? '31000000000002' : '31000000000012', inDays(40)],
    ]);
    await step(number, EARLIER);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await note(state, number, LATER);
      expect(await dueStateOf(number)).toEqual(noted);
    }
  },
);

test('stores the record of a run that started before steps were numbered', async () => {
  const number = await tests.create('NONE-1', [['31000000000003', inDays(40)]]);
  await note('unreachable', number, EARLIER);
  expect(await dueStateOf(number)).toEqual({ state: 'unreachable', hours: 24 });
});

test('leaves the signals of a step that arrives after a later one unread, and completes nothing', async () => {
  const number = await tests.create('NEWS-1', [['31000000000004', inDays(40)]]);
  await service.stopWorker();
  await step(number, LATER);
  await service.database.transaction((em) => signalWork(em, [switchWorkItem(number, 'SUPPLIER_FR', 'NEWS-1')]));
  await step(number, EARLIER);
  expect(await dueStateOf(number)).toMatchObject({ state: 'signalled' });
  // The account still follows the messages.
  await tests.send(message('NEWS-1', 'ACCEPTED'));
  await step(number, EARLIER);
  expect(await tests.status('NEWS-1')).toBe('IN_PROGRESS');
});
