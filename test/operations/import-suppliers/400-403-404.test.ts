import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const put = (code: string, body: unknown) =>
  service.call('PUT', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken, body });

test.each<[string, unknown, string, string]>([
  ['an unknown status', { status: 'Closed' }, 'status', 'invalid_choice'],
  ['a status in another case', { status: 'ongoing' }, 'status', 'invalid_choice'],
  ['no name', { name: '' }, 'name', 'blank'],
  ['a null name', { name: null }, 'name', 'null'],
  ['a long name', { name: 'x'.repeat(256) }, 'name', 'max_length'],
  ['options that are a list', { options: [] }, 'options', 'not_a_dict'],
  [
    'options with U+0000',
    { options: { industry_switch: 'x\0' } },
    'options.industry_switch',
    'null_characters_not_allowed',
  ],
  ['an unknown option', { options: { closed_value_set: {} } }, 'options.closed_value_set', 'invalid'],
  ['an option with a built-in name', { options: { constructor: true } }, 'options.constructor', 'invalid'],
  ['a switch that is a string', { options: { industry_switch: 'false' } }, 'options.industry_switch', 'invalid'],
  [
    'a way of reading that is a string',
    { options: { null_means_absent: 'null' } },
    'options.null_means_absent',
    'invalid',
  ],
  ['a check that is a number', { options: { check_documents: 1e3 } }, 'options.check_documents', 'invalid'],
  ['sets that are a list', { options: { closed_value_sets: ['DIRECT'] } }, 'options.closed_value_sets', 'invalid'],
  [
    'an unknown set',
    { options: { closed_value_sets: { channel: ['DIRECT'] } } },
    'options.closed_value_sets.channel',
    'invalid',
  ],
  [
    'a set that is a string',
    { options: { closed_value_sets: { sales_channel: 'DIRECT' } } },
    'options.closed_value_sets.sales_channel',
    'invalid',
  ],
  [
    'a set of numbers',
    { options: { closed_value_sets: { sales_channel: [5] } } },
    'options.closed_value_sets.sales_channel',
    'invalid',
  ],
  [
    'a set without values',
    { options: { closed_value_sets: { sales_channel: [] } } },
    'options.closed_value_sets.sales_channel',
    'invalid',
  ],
  ['a document root without a scheme', { document_root: '/docs' }, 'document_root', 'invalid'],
  ['a document root with parent segments', { document_root: 's3://imports/../other' }, 'document_root', 'invalid'],
  ['an unknown field', { state: 'Paused' }, 'state', 'invalid'],
  ['the code in the body', { code: 'X' }, 'code', 'invalid'],
  ['a list', [], 'non_field_errors', 'invalid'],
])('rejects %s', async (_what, body, attr, code) => {
  const answer = await put('REFUSED', body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
  expect(
    (await service.call('GET', '/v1/operations/import-suppliers/REFUSED/', { token: service.operatorToken })).status,
  ).toBe(404);
});

test('reports all violations at once', async () => {
  const { body } = await put('REFUSED', { status: 'x', name: 1, colour: 'red' });
  expect(body.errors.map(({ attr }: { attr: string }) => attr)).toEqual(['status', 'name', 'colour']);
});

test.each([
  ['x'.repeat(33), 'max_length'],
  ['%00', 'null_characters_not_allowed'],
  ['a%0Ab', 'invalid'],
])('rejects the code %s in the path', async (code, violationCode) => {
  const answer = await put(code, {});
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr: 'code', code: violationCode }] });
});

test.each([
  ['PUT', 'import-suppliers/MINE/'],
  ['GET', 'import-suppliers/MINE/'],
  ['GET', 'import-suppliers/'],
  ['PUT', 'operations-teams/North/'],
  ['GET', 'operations-teams/North/'],
  ['POST', 'api-keys/'],
  ['GET', 'api-keys/'],
  ['DELETE', 'api-keys/0199a000-0000-7000-8000-000000000000/'],
  ['GET', 'audit/'],
  ['GET', 'operations-teams/'],
  ['PUT', 'account-import-processes/MINE/A-1/skip/'],
  ['DELETE', 'account-import-processes/MINE/A-1/skip/'],
  ['PUT', 'settings/create-account-concurrency-limit/'],
  ['GET', 'settings/create-account-concurrency-limit/'],
  ['GET', 'accounts/MINE/A-1/'],
  ['GET', 'stuck/'],
  ['POST', 'stuck/YQ/retry/'],
])("rejects a supplier's key: %s %s", async (method, path) => {
  await service.call('PUT', '/v1/operations/import-suppliers/MINE/', { token: service.operatorToken, body: {} });
  const token = await service.supplierToken(['MINE']);
  const answer = await service.call(method, `/v1/operations/${path}`, {
    token,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
  });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ code: 'permission_denied', errors: [] });
});

test.each(['NOBODY', '%00', 'x'.repeat(40)])('answers 404 for the code %s', async (code) => {
  const answer = await service.call('GET', `/v1/operations/import-suppliers/${code}/`, {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
