import { afterAll, expect, test } from '@jest/globals';
import { lookupBudget, taskQueues, workflowIds, type IdentifierBudget } from '../../../temporal.config.ts';
import { until } from '../../support/until.ts';
import { points, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());

/** The real budget, except for the pauses between the first attempts, which take half a minute together. */
const quick: IdentifierBudget = { ...lookupBudget.identifier, retrySeconds: 0.1 };
const runOfEnedis = () => service.gateway.client().workflow.getHandle(workflowIds.lookUpSupplyPoints('enedis'));
const stuck = async () =>
  (await service.call('GET', '/v1/operations/stuck/', { token: service.operatorToken })).body.stuck;
/** The list's entries of deferred identifiers, as soon as there are any. */
async function stuckAside(): Promise<any> {
  let found: any;
  await until(
    async () =>
      (found = (await stuck()).find((one: any) => one.last_failure?.type === 'look_ups_set_aside')) !== undefined,
    200,
  );
  return found;
}
const callsFor = (identifier: string) => service.enedis.calls.filter((call) => call.identifier === identifier).length;
const rowOf = async (identifier: string) =>
  (
    await service.database.pool.query(
      `select state, tries, due_at, due_at > now() + interval '50 minutes' as is_in_an_hour from look_up where identifier = $1`,
      [identifier],
    )
  ).rows[0];

/** Sends a batch with a shorter budget: its run starts before the batch, while no worker runs. */
async function populateWith(identifier: IdentifierBudget, prmIds: string[]): Promise<string> {
  await until(
    async () =>
      (await runOfEnedis()
        .describe()
        .then(
          ({ status }) => status.name,
          () => 'NONE',
        )) !== 'RUNNING',
  );
  await service.stopWorker();
  await service.gateway
    .client()
    .workflow.start('lookUpSupplyPoints', {
      workflowId: workflowIds.lookUpSupplyPoints('enedis'),
      taskQueue: taskQueues.imports,
      args: [{ networkOperator: 'enedis', identifier }],
    });
  const batchId = await service.populate(prmIds);
  await service.startWorker();
  return batchId;
}

test('defers a failing identifier for an hour after its attempts, lists it, and looks it up when the hour is over', async () => {
  const failsFiveTimes = '99110500000061';
  const batchId = await populateWith(quick, [...points(3, 61_000_000_000_000), failsFiveTimes]);
  await until(async () => (await service.status(batchId)).set_aside_requests?.prms[0]?.tries === 5);
  const row = await rowOf(failsFiveTimes);
  expect(row).toMatchObject({ state: 'deferred', tries: 5, is_in_an_hour: true });
  const nextAttemptAt = new Date(row.due_at).toISOString();
  const status = await service.status(batchId);
  expect(sums(status)).toEqual({ accepted: 4, imported: 3, pending: 1, errored: 0 });
  expect(status).toMatchObject({
    status: 'IN_PROGRESS',
    pending_requests: { prm_ids: [failsFiveTimes] },
    set_aside_requests: { prms: [{ id: failsFiveTimes, tries: 5, next_attempt_at: nextAttemptAt }], pces: [] },
  });
  expect(await stuckAside()).toMatchObject({
    kind: 'look-up-supply-points',
    network_operator: 'enedis',
    attempt: 5,
    next_attempt_at: nextAttemptAt,
    last_failure: {
      type: 'look_ups_set_aside',
      message: `Enedis answers others, and keeps failing on ${failsFiveTimes}.`,
    },
    what_to_do: expect.stringContaining('every hour'),
  });
  expect(callsFor(failsFiveTimes)).toBe(5);

  // Another batch looks for work immediately, and finds the work that is due by then.
  const before = await service.populate(points(1, 61_100_000_000_000));
  await service.ended(before);
  expect(callsFor(failsFiveTimes)).toBe(5);
  await service.database.pool.query(`update look_up set due_at = due_at - interval '1 hour' where identifier = $1`, [
    failsFiveTimes,
  ]);
  await service.populate(points(1, 61_200_000_000_000));
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 4, imported: 4, pending: 0, errored: 0 });
  expect((await service.status(batchId)).set_aside_requests).toEqual({ prms: [], pces: [] });
  expect(callsFor(failsFiveTimes)).toBe(6);
  await until(async () => (await stuck()).length === 0, 200);
});

test.each([
  ['of the network operator', '99110500000067', () => workflowIds.lookUpSupplyPoints('enedis')],
  ['of the batch', '99110500000068', workflowIds.populateSupplyPoints],
])(
  'counts deferred identifiers in the details of the run %s, and retries them by the named signal',
  async (_, id, runOf) => {
    const batchId = await populateWith(quick, [id]);
    const run = service.gateway.client().workflow.getHandle(runOf(batchId));
    const details = async () =>
      (await run.query<{ currentDetails?: string }, []>('__temporal_workflow_metadata')).currentDetails ?? '';
    await until(async () => (await rowOf(id))?.tries === 5, 600);
    const { due_at: dueAt } = await rowOf(id);
    await until(async () => (await details()).includes(new Date(dueAt).toISOString()), 600);
    expect(await details()).toMatch(/1 deferred: .*most often \w+.*next attempt at .*signal "retryDeferred"/);
    await run.signal('retryDeferred');
    expect(sums(await service.ended(batchId))).toEqual({ accepted: 1, imported: 1, pending: 0, errored: 0 });
    expect(callsFor(id)).toBe(6);
  },
);

test('wakes the run automatically when deferred identifiers are due', async () => {
  const failsFourTimes = '99110400000062';
  const batchId = await populateWith({ ...quick, triesMax: 2, deferredSeconds: 2 }, [
    failsFourTimes,
    ...points(1, 62_000_000_000_000),
  ]);
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 2, imported: 2, pending: 0, errored: 0 });
  expect(await rowOf(failsFourTimes)).toMatchObject({ state: 'imported', tries: 4 });
});

test('retries a listed identifier immediately, and marks it as errored after a day of failed attempts', async () => {
  const alwaysFails = '99120000000063';
  const batchId = await populateWith(quick, [alwaysFails, ...points(1, 63_000_000_000_000)]);
  await until(async () => (await rowOf(alwaysFails))?.tries === 5);
  const { id } = await stuckAside();
  const retry = () => service.call('POST', `/v1/operations/stuck/${id}/retry/`, { token: service.operatorToken });
  expect((await retry()).body).toEqual({ id, outcome: 'asked_again' });
  await until(async () => (await rowOf(alwaysFails)).tries === 6);
  // Within its day it is deferred again.
  expect(await rowOf(alwaysFails)).toMatchObject({ state: 'deferred', is_in_an_hour: true });
  await service.database.pool.query(
    `update look_up set deferred_at = deferred_at - interval '25 hours' where identifier = $1`,
    [alwaysFails],
  );
  expect((await retry()).body).toEqual({ id, outcome: 'asked_again' });
  expect(await service.ended(batchId)).toMatchObject({
    status: 'COMPLETED',
    errored_requests: { prms: [{ id: alwaysFails, errored_reason: 'network_operator_keeps_failing' }] },
    set_aside_requests: { prms: [] },
  });
  expect(callsFor(alwaysFails)).toBe(7);
  await until(async () => (await stuck()).length === 0, 200);
  // The run ends a moment after its last batch; until then a retry finds it running.
  await until(async () => (await retry()).status === 404, 200);
});
