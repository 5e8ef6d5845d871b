import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => { service = await startService(); });
afterAll(async () => { await service.stop(); });

const put = (code: string, body: unknown) => service.call('PUT', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken, body });

test.each<[string, unknown, string, string]>([
  ['an unknown status', { status: 'Closed' }, 'status', 'invalid_choice'],
  ['a status of another case', { status: 'ongoing' }, 'status', 'invalid_choice'],
  ['no name', { name: '' }, 'name', 'blank'],
  ['a null name', { name: null }, 'name', 'null'],
  ['a long name', { name: 'x'.repeat(256) }, 'name', 'max_length'],
  ['options that are a list', { options: [] }, 'options', 'not_a_dict'],
  ['options with U+0000', { options: { a: 'x\0' } }, 'options.a', 'null_characters_not_allowed'],
  ['a switch that is a text', { options: { check_documents: 'yes' } }, 'options.check_documents', 'invalid'],
  ['another that is a text', { options: { industry_switch: 'false' } }, 'options.industry_switch', 'invalid'],
  ['closed sets that are a text', { options: { closed_value_sets: 'reason' } }, 'options.closed_value_sets', 'not_a_dict'],
  ['closed sets that are a list', { options: { closed_value_sets: [] } }, 'options.closed_value_sets', 'not_a_dict'],
  ['a closed set that is a text', { options: { closed_value_sets: { sales_channel: 'DIRECT' } } }, 'options.closed_value_sets.sales_channel', 'invalid'],
  ['a closed set that is null', { options: { closed_value_sets: { sales_channel: null } } }, 'options.closed_value_sets.sales_channel', 'invalid'],
  ['a closed set of numbers', { options: { closed_value_sets: { sales_channel: [1] } } }, 'options.closed_value_sets.sales_channel', 'invalid'],
  ['a misspelt set', { options: { closed_value_sets: { sales_chanel: ['DIRECT'] } } }, 'options.closed_value_sets.sales_chanel', 'invalid'],
  ['a set that JavaScript knows', { options: { closed_value_sets: { constructor: ['DIRECT'] } } }, 'options.closed_value_sets.constructor', 'invalid'],
  ['a field that does not exist', { state: 'Paused' }, 'state', 'invalid'],
  ['the code in the body', { code: 'X' }, 'code', 'invalid'],
  ['a list', [], 'non_field_errors', 'invalid'],
])('%s is refused', async (_what, body, attr, code) => {
  const answer = await put('REFUSED', body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
  expect((await service.call('GET', '/v1/operations/import-suppliers/REFUSED/', { token: service.operatorToken })).status).toBe(404);
});

test('all faults come at once', async () => {
  const { body } = await put('REFUSED', { status: 'x', name: 1, colour: 'red' });
  expect(body.errors.map(({ attr }: { attr: string }) => attr)).toEqual(['status', 'name', 'colour']);
});

test.each([['x'.repeat(33), 'max_length'], ['%00', 'null_characters_not_allowed'], ['a%0Ab', 'invalid']])('code %s in the path is refused', async (code, violationCode) => {
  const answer = await put(code, {});
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr: 'code', code: violationCode }] });
});
