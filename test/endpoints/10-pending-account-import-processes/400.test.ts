import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

const LIST = '/v1/data-import/pending-account-import-processes';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => {
  await service.stop();
});

const cursorOf = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64url');

test.each([
  ['limit=0', ['limit']],
  ['limit=1001', ['limit']],
  ['limit=-1', ['limit']],
  ['limit=1.5', ['limit']],
  ['limit=1e2', ['limit']],
  ['limit=', ['limit']],
  ['limit=ten', ['limit']],
  ['limit=%D9%A1', ['limit']],
  ['limit=010', ['limit']],
  ['cursor=', ['cursor']],
  ['cursor=!!!', ['cursor']],
  ['cursor=YQ==', ['cursor']],
  ['cursor=a b', ['cursor']],
  [`cursor=${cursorOf('a\u0000b')}`, ['cursor']],
  [`cursor=${cursorOf(new Uint8Array([0xff, 0xfe]))}`, ['cursor']],
  [`cursor=${cursorOf(new Uint8Array([0xed, 0xa0, 0x80]))}`, ['cursor']],
  ['limit=0&cursor=%00', ['limit', 'cursor']],
])('the query %p is refused, and every wrong part is named', async (query, places) => {
  const answer = await service.call('GET', `${LIST}/SUPPLIER_FR/?${query}`, { token });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ detail: expect.any(String), code: 'validation_failed' });
  expect(answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`)).toEqual(
    places.map((place) => `${place} invalid`),
  );
});

test.each(['other=1', 'LIMIT=0'])('the query %p names nothing', async (query) => {
  expect(await service.call('GET', `${LIST}/SUPPLIER_FR/?${query}`, { token })).toMatchObject({
    status: 400,
    body: { code: 'unknown_query_parameter' },
  });
});

test.each(['limit=1', 'limit=1000'])('the query %p is taken', async (query) => {
  expect((await service.call('GET', `${LIST}/SUPPLIER_FR/?${query}`, { token })).status).toBe(200);
});
