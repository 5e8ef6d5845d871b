import { afterAll, expect, test } from '@jest/globals';
import { workflowIds } from '../../../temporal.config.ts';
import { until } from '../../support/until.ts';
import { points, startPopulation } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());

test('notifies the run that watches a batch of its end, so that no work item remains for an ended batch', async () => {
  await service.setSpeed('enedis', 0);
  const batchId = await service.populate(points(5, 73_000_000_000_000));
  const run = service.gateway.client().workflow.getHandle(workflowIds.populateSupplyPoints(batchId));
  // Started beside the response, so it may not exist yet.
  const events = async () => (await run.fetchHistory().catch(() => ({ events: [] }))).events ?? [];
  const signals = async () =>
    (await events()).filter(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'batchMoved',
    ).length;
  // It has checked the batch, and sleeps until the next check.
  await until(async () => (await events()).some(({ timerStartedEventAttributes: timer }) => timer));
  const before = await signals();
  await service.setSpeed('enedis', 1_000);
  expect(await run.result()).toBe('COMPLETED');
  expect(await signals()).toBe(before + 1);
  expect(
    (
      await service.database.pool.query('select 1 from work_item where workflow_id = $1', [
        workflowIds.populateSupplyPoints(batchId),
      ])
    ).rows,
  ).toEqual([]);
});
