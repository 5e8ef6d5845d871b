import { afterAll, expect, test } from '@jest/globals';
import { points, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation({ worker: false });
afterAll(() => service.stop());

test('shows everything as pending before any lookup, large batches included', async () => {
  const small = await service.status(await service.populate(points(3), ['GI153881']));
  expect(small).toMatchObject({
    status: 'IN_PROGRESS',
    counts: { accepted: { prm_ids: 3, pce_ids: 1 }, pending: { prm_ids: 3, pce_ids: 1 } },
    pending_requests: { prm_ids: points(3), pce_ids: ['GI153881'] },
    imported_requests: { prm_ids: [], pce_ids: [] },
    errored_requests: { prms: [], pces: [] },
    rate_per_second: 0,
    estimated_end: null,
    ended_at: null,
    truncated: false,
  });
  const batchId = await service.populate(points(2_500, 28_000_000_000_000));
  const cut = await service.status(batchId);
  expect(cut).toMatchObject({ truncated: true, counts: { pending: { prm_ids: 2_500 } } });
  expect(cut.pending_requests.prm_ids).toHaveLength(100);
  const status = await service.status(batchId, '?limit=100000');
  expect(status.truncated).toBe(false);
  expect(status.pending_requests.prm_ids).toEqual(points(2_500, 28_000_000_000_000));
});

test('marks everything in a cancelled batch as errored with the reason, including unexpanded parts, and reopens it on retry', async () => {
  const batchId = await service.populate(points(1_200, 29_000_000_000_000), ['GI153882']);
  const cancelled = await service.call('POST', `/v1/operations/population-batches/${batchId}/cancel/`, {
    token: service.operatorToken,
  });
  expect(cancelled.body).toEqual({ batch_id: batchId, status: 'CANCELLED', cancelled: 1_201 });
  const status = await service.status(batchId, '?limit=5000');
  expect(sums(status)).toEqual({ accepted: 1_201, imported: 0, pending: 0, errored: 1_201 });
  expect(status.errored_requests.prms).toHaveLength(1_200);
  expect(
    new Set([...status.errored_requests.prms, ...status.errored_requests.pces].map((one: any) => one.errored_reason)),
  ).toEqual(new Set(['batch_cancelled']));
  expect(
    (
      await service.call('POST', `/v1/operations/population-batches/${batchId}/cancel/`, {
        token: service.operatorToken,
      })
    ).body,
  ).toMatchObject({ status: 'CANCELLED', cancelled: 0 });
  const retried = await service.call('POST', `/v1/operations/population-batches/${batchId}/retry/`, {
    token: service.operatorToken,
  });
  expect(retried.body).toEqual({ batch_id: batchId, retried: 1_201 });
  expect(sums(await service.status(batchId))).toEqual({ accepted: 1_201, imported: 0, pending: 1_201, errored: 0 });
});

test('shows operators any batch', async () => {
  const batchId = await service.populate(points(1, 29_500_000_000_000));
  expect(
    (await service.call('GET', `/v1/operations/population-batches/${batchId}/`, { token: service.operatorToken })).body,
  ).toMatchObject({ batch_id: batchId, status: 'IN_PROGRESS' });
});
