import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const UNKNOWN = '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77';

test.each<[string, string, object?]>([
  ['GET', `population-batches/${UNKNOWN}/`],
  ['POST', `population-batches/${UNKNOWN}/retry/`],
  ['POST', `population-batches/${UNKNOWN}/cancel/`],
  ['POST', 'population-batches/x/cancel/'],
  ['POST', 'look-ups/enedis/25014987360042/retry/'],
  ['POST', 'look-ups/rte/25014987360042/retry/'],
  ['POST', 'look-ups/enedis/%00/retry/'],
  ['POST', 'look-ups/rte/retry/', { identifiers: ['25014987360042'] }],
  ['GET', 'look-ups/rte/set-aside/'],
])('%s %s', async (...[method, path, body]) => {
  expect(await service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});

test.each<[string, string, string, object?]>([
  ['GET', 'look-ups/enedis/set-aside/?cursor=x', 'cursor'],
  ['GET', 'population-batches/?cursor=x', 'cursor'],
  ['GET', 'population-batches/?status=DONE', 'status'],
  ['GET', `population-batches/${UNKNOWN}/?limit=x`, 'limit'],
  ['GET', 'market-messages/?kind=x', 'kind'],
  ['POST', `population-batches/${UNKNOWN}/cancel/`, 'reason'],
  ['POST', 'look-ups/enedis/retry/', 'reason', { identifiers: ['25014987360042'] }],
  ['POST', `population-batches/${UNKNOWN}/retry/`, 'reason'],
  ['POST', 'look-ups/enedis/25014987360042/retry/', 'reason'],
])('%s %s: rejects an invalid parameter by name', async (...[method, path, attr, given]) => {
  const body = method === 'GET' ? undefined : { ...given, reason: 7 };
  expect(await service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr }] },
  });
});
