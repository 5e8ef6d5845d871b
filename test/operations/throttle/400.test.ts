import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test.each<[string, object, string]>([
  ['a negative speed', { requests_per_second: -1 }, 'min_value requests_per_second'],
  ['a text', { requests_per_hour: '10' }, 'invalid requests_per_hour'],
  ['a misspelled field', { requests_per_minute: 10 }, 'invalid requests_per_minute'],
])('rejects %s', async (_what, body, error) => {
  const answer = await service.call('PUT', '/v1/operations/network-operators/enedis/throttle/', {
    token: service.operatorToken,
    body,
  });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ code, attr }: any) => `${code} ${attr}`)).toEqual([error]);
});

test('checks a speed for a forecast like one to set', async () => {
  const answer = await service.call(
    'GET',
    '/v1/operations/network-operators/enedis/throttle/preview/?requests_per_second=-1',
    { token: service.operatorToken },
  );
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ code: 'min_value', attr: 'requests_per_second' }] },
  });
});

test("answers 404 for another network operator, and rejects a supplier's key", async () => {
  const path = '/v1/operations/network-operators/rte/throttle/';
  const token = service.operatorToken;
  const unknown = { status: 404, body: { code: 'not_found' } };
  expect(await service.call('GET', path, { token })).toMatchObject(unknown);
  expect(await service.call('GET', `${path}preview/?requests_per_second=3`, { token })).toMatchObject(unknown);
  expect(await service.call('PUT', path, { token, body: {} })).toMatchObject(unknown);
  const supplierToken = await service.supplierToken(['SUPPLIER_FR']);
  expect(
    await service.call('PUT', '/v1/operations/network-operators/grdf/throttle/', {
      token: supplierToken,
      body: { requests_per_second: 9 },
    }),
  ).toMatchObject({ status: 403 });
});
