import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  service.call(method, `/v1/operations/audit/${path}`, { token: service.operatorToken, ...(body && { body }) });

test.each(['2026-13-01', 'yesterday', ''])('rejects anchors from %p', async (from) => {
  const { status, body } = await call('GET', `anchors/?from=${from}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'validation_failed', errors: [{ attr: 'from', code: 'invalid' }] });
});

test('rejects a verification that does not exist, and unknown members', async () => {
  const unknown = await call('POST', 'verifications/', { verification_id: '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5d' });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await call('POST', 'verifications/', { verification_id: 'x' })).toMatchObject({ status: 404 });
  expect(await call('POST', 'verifications/', { verification_id: 5 })).toMatchObject({ status: 400 });
  expect(await call('POST', 'verifications/', { from: 1 })).toMatchObject({ status: 400 });
});
