import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../support/harness.ts';
import { openApiDocument } from '../support/openapi-document.ts';
import { message } from '../support/switching.ts';

// Requests that a generator makes from the contract are accepted, and those that the contract excludes are rejected.

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const get = (path: string) => service.call('GET', `/v1/operations/${path}`, { token: service.operatorToken });
interface Parameter {
  name: string;
  schema: { maximum: number };
}
const { components, paths } = openApiDocument();
const parameter = (path: string, name: string) =>
  (paths[`/v1/operations/${path}/`]!['get'] as { parameters: Parameter[] }).parameters.find((one) => one.name === name)!
    .schema;

test.each(['0001-01-01', '1899-12-31', '2200-01-01', '9999-12-31'])(
  'accepts every calendar day in filters: %s',
  async (day) => {
    for (const name of ['staged_from', 'staged_to', 'created_from', 'created_to']) {
      expect((await get(`accounts/?${name}=${day}`)).status).toBe(200);
    }
    for (const name of ['from', 'to']) expect((await get(`audit/?${name}=${day}`)).status).toBe(200);
  },
);

test('rejects days that are not in the calendar', async () => {
  for (const day of ['2199-02-30', '9999-13-01', '10000-01-01']) {
    expect((await get(`accounts/?staged_from=${day}`)).status).toBe(400);
  }
});

test('declares the largest position of a customer in an export', async () => {
  const path = 'exports/{supplier}/{external}';
  const { maximum } = parameter(path, 'customer');
  const exported = (customer: number) => get(`exports/SUPPLIER_FR/NONE/?customer=${customer}`);
  expect((await exported(maximum)).body.code).toBe('not_found');
  expect((await exported(maximum + 1)).body.code).toBe('validation_failed');
});

test('lists market messages of a number without its import supplier', async () => {
  await service.call('POST', '/v1/operations/market-messages/', {
    token: service.operatorToken,
    body: [message('NUMBER-1', 'ACCEPTED'), message('NUMBER-2', 'ACCEPTED')],
  });
  const { body } = await get('market-messages/?external_account_number=NUMBER-1');
  expect(body.messages.map((one: { external_account_number: string }) => one.external_account_number)).toEqual([
    'NUMBER-1',
  ]);
});

test('excludes U+0000 from every text of a request', () => {
  const reason = components['schemas']!['PutImportSupplierRequest'] as { properties: { reason: { pattern: string } } };
  const { pattern } = reason.properties.reason;
  expect([new RegExp(pattern, 'u').test('a\0b'), new RegExp(pattern, 'u').test('a\nb')]).toEqual([false, true]);
});
