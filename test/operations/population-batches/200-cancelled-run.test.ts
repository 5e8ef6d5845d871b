import { afterAll, expect, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowIds } from '../../../temporal.config.ts';
import { until } from '../../support/until.ts';
import { points, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());

const SIZE = 1_200;
const SHARED = 100;
const runOf = (batchId: string) =>
  service.gateway.client().workflow.getHandle(workflowIds.populateSupplyPoints(batchId));
const workItemsOf = async (batchId: string) =>
  (
    await service.database.pool.query('select workflow_id from work_item where workflow_id = $1', [
      workflowIds.populateSupplyPoints(batchId),
    ])
  ).rows;
/** The dispatcher may start the run later than the lookups, if the machine is too busy to start it immediately. */
const cancelRun = (batchId: string) =>
  until(() =>
    runOf(batchId)
      .cancel()
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        },
      ),
  );
const calledIdentifiers = () => service.enedis.calls.map(({ identifier }) => identifier);

test("cancels a batch when its run is cancelled in Temporal's web UI, and loses nothing", async () => {
  await service.setSpeed('enedis', 40);
  // Larger than a part, so that some of it has never been expanded into lookups.
  const wanted = points(SIZE, 71_000_000_000_000);
  const cancelled = await service.populate(wanted);
  const other = await service.populate(wanted.slice(0, SHARED));
  await until(async () => sums(await service.status(cancelled)).imported >= 20);
  await cancelRun(cancelled);
  await expect(runOf(cancelled).result()).rejects.toThrow('Workflow execution cancelled');
  // The batch ends before its run does, and needs no further work.
  const status = await service.status(cancelled, `?limit=${SIZE}`);
  const { imported, ...counts } = sums(status);
  expect(status).toMatchObject({
    status: 'CANCELLED',
    ended_at: expect.any(String),
    pending_requests: { prm_ids: [] },
  });
  expect(counts).toEqual({ accepted: SIZE, pending: 0, errored: SIZE - imported });
  expect(imported).toBeGreaterThanOrEqual(20);
  expect(new Set(status.errored_requests.prms.map((one: any) => one.errored_reason))).toEqual(
    new Set(['batch_cancelled']),
  );
  const settled = [...status.imported_requests.prm_ids, ...status.errored_requests.prms.map(({ id }: any) => id)];
  expect(settled.toSorted()).toEqual(wanted);
  expect(await workItemsOf(cancelled)).toEqual([]);

  // The batch that shares identifiers gets all its results.
  await service.setSpeed('enedis', 1_000);
  expect(sums(await service.ended(other))).toEqual({ accepted: SHARED, imported: SHARED, pending: 0, errored: 0 });
  // Every answer is stored, also of lookups in progress when the batch was cancelled.
  await until(async () => (await service.database.pool.query('select 1 from work_item')).rows.length === 0);
  const { rows } = await service.database.pool.query('select identifier from supply_point where facts is not null');
  expect(rows.map(({ identifier }) => identifier).toSorted()).toEqual([...new Set(calledIdentifiers())].toSorted());
  expect(sums(await service.status(cancelled)).imported).toBe(imported);

  // A retry reopens the batch, and looks nothing up twice.
  const retried = await service.call('POST', `/v1/operations/population-batches/${cancelled}/retry/`, {
    token: service.operatorToken,
  });
  expect(retried.body).toEqual({ batch_id: cancelled, retried: SIZE - imported });
  expect(await service.ended(cancelled)).toMatchObject({
    status: 'COMPLETED',
    counts: { imported: { prm_ids: SIZE } },
  });
  expect(calledIdentifiers().toSorted()).toEqual(wanted);
});

test('cancels a batch with a deferred identifier, and leaves nothing of it in the list of stuck work', async () => {
  const batchId = await service.populate(['99120000000072', ...points(1, 72_000_000_000_000)]);
  await until(async () => (await service.status(batchId)).set_aside_requests.prms.length === 1);
  await cancelRun(batchId);
  await expect(runOf(batchId).result()).rejects.toThrow('Workflow execution cancelled');
  expect(await service.status(batchId)).toMatchObject({
    status: 'CANCELLED',
    errored_requests: { prms: [{ id: '99120000000072', errored_reason: 'batch_cancelled' }] },
    set_aside_requests: { prms: [] },
  });
  expect(await workItemsOf(batchId)).toEqual([]);
  await until(
    async () =>
      (await service.call('GET', '/v1/operations/stuck/', { token: service.operatorToken })).body.stuck.length === 0,
    200,
  );
});
