import { afterAll, expect, test } from '@jest/globals';
import { businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false, settings: { BUSINESS_BODY_LIMIT_BYTES: '2000000' } });
afterAll(() => service.stop());

test.each([
  ['not_authenticated', undefined],
  ['authentication_failed', 'gwa_unknown'],
])('%s', async (code, token) => {
  const answer = await service.call('POST', '/v1/data-import/business/', {
    ...(token === undefined ? {} : { token }),
    body: businessRequest(),
  });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code, errors: [] });
  expect(answer.headers['www-authenticate']).toBe('Token');
});

test('accepts a body over the 1 MB of other operations, and rejects one over its own limit', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const send = (length: number) =>
    service.call('POST', '/v1/data-import/business/', {
      token,
      body: { ...businessRequest(), padding: 'x'.repeat(length) },
    });
  expect((await send(1_900_000)).status).toBe(201);
  const answer = await send(2_000_000);
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
});
