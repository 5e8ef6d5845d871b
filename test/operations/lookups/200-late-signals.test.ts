import { afterAll, expect, test } from '@jest/globals';
import { isGrpcServiceError } from '@temporalio/client';
import { TemporalUnavailable } from '../../../src/platform/temporal/temporal-faults.ts';
import { workflowIds } from '../../../temporal.config.ts';
import { points, startPopulation, sums } from '../../support/population.ts';
import { until } from '../../support/until.ts';

// Signals that an API could not send, because Temporal was down or the process was killed, are sent by its
// dispatcher.

const service = await startPopulation({ perSecond: 0, settings: { DISPATCH_EVERY_MS: '200' } });
afterAll(() => service.stop());

/** A gRPC status code. */
const NOT_FOUND = 5;
const workflowId = workflowIds.lookUpSupplyPoints('enedis');
const signalOf = async () =>
  (await service.database.pool.query('select state from work_item where workflow_id = $1', [workflowId])).rows[0]
    ?.state;
/**
 * The run sleeps: its latest event is the timer that will wake it. Requests for lookups are answered before their run
 * exists.
 */
const sleeps = async () => {
  const history = await service.gateway
    .client()
    .workflow.getHandle(workflowId)
    .fetchHistory()
    .catch((error: unknown) => {
      if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND) return undefined;
      throw error;
    });
  return Boolean(history?.events?.at(-1)?.timerStartedEventAttributes) && (await signalOf()) === null;
};

/** Runs an action while Temporal rejects its signals. */
async function withoutSignals<T>(work: () => Promise<T>): Promise<T> {
  const { client } = service.gateway;
  service.gateway.client = () => {
    throw new TemporalUnavailable('away for a test');
  };
  try {
    return await work();
  } finally {
    service.gateway.client = client;
  }
}

/** The dispatcher leaves the writer of a work item half a minute to start it. */
const letHeadStartPass = () =>
  service.database.pool.query('update work_item set start_at = now() where workflow_id = $1', [workflowId]);

test('notifies a sleeping run of a new speed and of a new batch although Temporal was down', async () => {
  const paused = await service.populate(points(2, 63_000_000_000_000));
  await until(sleeps);
  await withoutSignals(() => service.setSpeed('enedis', 1_000));
  expect(await signalOf()).toBe('signalled');
  expect((await service.status(paused)).status).toBe('IN_PROGRESS');
  await letHeadStartPass();
  expect(sums(await service.ended(paused))).toEqual({ accepted: 2, imported: 2, pending: 0, errored: 0 });

  await service.setSpeed('enedis', 0);
  const first = await service.populate(points(1, 63_100_000_000_000));
  await until(sleeps);
  await service.database.pool.query('update throttle set requests_per_second = 1000, requests_per_hour = 3600000');
  const second = await withoutSignals(() => service.populate(points(1, 63_200_000_000_000)));
  expect(await signalOf()).toBe('signalled');
  await letHeadStartPass();
  for (const batch of [first, second]) {
    expect(sums(await service.ended(batch))).toEqual({ accepted: 1, imported: 1, pending: 0, errored: 0 });
  }
});

test('notifies of retried lookups as well, and deletes the signal once a page looks for it', async () => {
  const batch = await service.populate(['99990000000001']);
  await service.ended(batch);
  await service.setSpeed('enedis', 0);
  await service.populate(points(1, 63_300_000_000_000));
  await until(sleeps);
  const path = `/v1/operations/population-batches/${batch}/retry/`;
  const answer = await withoutSignals(() => service.call('POST', path, { token: service.operatorToken, body: {} }));
  expect(answer).toMatchObject({ status: 200 });
  expect(await signalOf()).toBe(answer.body.retried > 0 ? 'signalled' : null);
  expect(answer.body.retried).toBe(1);
  await letHeadStartPass();
  await until(async () => (await signalOf()) === null);
});
