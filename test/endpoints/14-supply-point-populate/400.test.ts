import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { points, POPULATE } from '../../support/population.ts';

const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

test.each<[string, object, string[]]>([
  ['nothing', {}, ['empty non_field_errors']],
  ['empty lists', { prm_ids: [], pce_ids: [] }, ['empty non_field_errors']],
  [
    'invalid identifiers, each at its place',
    { prm_ids: ['25014987360042', '2501498736004', 'GI153881'], pce_ids: ['GI15388', '03628810476215'] },
    ['invalid_prm prm_ids.1', 'invalid_prm prm_ids.2', 'invalid_pce pce_ids.0'],
  ],
  ['a number', { prm_ids: [25_014_987_360_042] }, ['invalid prm_ids.0']],
  ['no list', { prm_ids: '25014987360042' }, ['not_a_list prm_ids', 'empty non_field_errors']],
  [
    'an import supplier of another key',
    { prm_ids: ['25014987360042'], import_supplier: 'SUPPLIER_BE' },
    ['invalid_choice import_supplier'],
  ],
  [
    'an authorisation that is not a boolean',
    { prm_ids: ['25014987360042'], customer_authorisation: 'true' },
    ['invalid customer_authorisation'],
  ],
  [
    'an unknown category',
    { prm_ids: ['25014987360042'], customer_category: 'Public' },
    ['invalid_choice customer_category'],
  ],
])('rejects %s', async (_what, body, errors) => {
  const answer = await service.call('POST', POPULATE, { token, body });
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'validation_failed' });
  expect(answer.body.errors.map(({ code, attr }: any) => `${code} ${attr}`).toSorted()).toEqual(errors.toSorted());
});

test('rejects more than 100,000 in both lists together', async () => {
  const answer = await service.call('POST', POPULATE, {
    token,
    body: { prm_ids: points(60_000), pce_ids: points(40_001) },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'max_length', attr: 'non_field_errors' }] } });
});

test.each(['-1', '1.5', 'x', '100001'])('rejects a limit of %s', async (limit) => {
  const answer = await service.call('GET', `${POPULATE}0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77/?limit=${limit}`, {
    token,
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ code: 'invalid', attr: 'limit' }] },
  });
});
