import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each([
  ['SUPPLIER_FR', 'NOWHERE'],
  ['NOBODY', 'A-1'],
  ['SUPPLIER_FR', '%00'],
  ['SUPPLIER_FR', 'x'.repeat(129)],
])('%s has no import process %s', async (supplier, external) => {
  for (const [method, body] of [
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const) {
    const answer = await service.call(method, `/v1/operations/account-import-processes/${supplier}/${external}/skip/`, {
      token: service.operatorToken,
      body,
    });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
  }
});
