import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const cursorOf = (key: unknown) => Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');

test.each([
  ['status=DONE', 'status', 'invalid_choice'],
  ['switch_status=UNKNOWN', 'switch_status', 'invalid_choice'],
  ['created_from=2026-02-30', 'created_from', 'invalid'],
  ['staged_to=yesterday', 'staged_to', 'invalid'],
  ['tariff=a%00b', 'tariff', 'null_characters_not_allowed'],
  [`refusal=${'x'.repeat(200)}`, 'refusal', 'max_length'],
  ['limit=0', 'limit', 'invalid'],
  ['limit=1001', 'limit', 'invalid'],
  ['cursor=nothing', 'cursor', 'invalid'],
  [`cursor=${cursorOf(['018f3c1e-0000-7000-8000-000000000001'])}`, 'cursor', 'invalid'],
  [`tariff=BASE&cursor=${cursorOf(['SUPPLIER_FR', 'HOME-1'])}`, 'cursor', 'invalid'],
  [`tariff=BASE&cursor=${cursorOf(['no-id'])}`, 'cursor', 'invalid'],
  [`cursor=${cursorOf(['SUPPLIER_FR', 'a\0b'])}`, 'cursor', 'invalid'],
])('rejects %s', async (query, attr, code) => {
  const answer = await service.call('GET', `/v1/operations/accounts/?${query}`, { token: service.operatorToken });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
});

test.each([
  ['SUPPLIER_FR', 'NOWHERE'],
  ['NOBODY', 'A-1'],
  ['SUPPLIER_FR', '%00'],
])('answers 404 for %s %s, and audits nothing', async (supplier, external) => {
  const answer = await service.call('GET', `/v1/operations/accounts/${supplier}/${external}/`, {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
  expect(
    (await service.call('GET', '/v1/operations/audit/?action=account.read', { token: service.operatorToken })).body,
  ).toEqual([]);
});
