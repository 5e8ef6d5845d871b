import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { message } from '../../support/switching.ts';

const service = await startService();
afterAll(() => service.stop());

const send = (body: unknown) =>
  service.call('POST', '/v1/operations/market-messages/', { token: service.operatorToken, body });
const good = message('A1', 'ACCEPTED');
const stored = async () =>
  (await service.database.pool.query('select count(*)::integer as n from market_message')).rows[0].n;

test.each<[string, unknown, string[]]>([
  [
    'an empty message',
    [{}],
    [
      'required 0.message_id',
      'required 0.import_supplier',
      'required 0.external_account_number',
      'required 0.outcome',
      'required 0.occurred_at',
    ],
  ],
  ['an unknown outcome', [{ ...good, outcome: 'DONE' }], ['invalid_choice 0.outcome']],
  ['an invalid time', [{ ...good, occurred_at: 'yesterday' }], ['invalid 0.occurred_at']],
  ['an id that is too long', [{ ...good, message_id: 'x'.repeat(129) }], ['max_length 0.message_id']],
  ['a misspelled field', [{ ...good, supply_point: '25012345678901' }], ['invalid 0.supply_point']],
  [
    'a list with violations, each with its place',
    [good, { ...good, outcome: '' }, 7],
    ['blank 1.outcome', 'invalid 2.non_field_errors'],
  ],
  ['a message without a list', good, ['not_a_list non_field_errors']],
  ['an empty list', [], ['empty non_field_errors']],
  ['a list that is too long', Array.from({ length: 1_001 }, () => good), ['max_length non_field_errors']],
])('rejects %s, and stores nothing', async (_what, body, faults) => {
  const answer = await send(body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(answer.body.errors.map(({ code, attr }: any) => `${code} ${attr}`)).toEqual(faults);
  expect(await stored()).toBe(0);
});

test('dismisses only a pending message, with a reason', async () => {
  const remove = (id: string, body: unknown) =>
    service.call('DELETE', `/v1/operations/market-messages/${encodeURIComponent(id)}/`, {
      token: service.operatorToken,
      body,
    });
  expect((await remove('m', {})).body).toMatchObject({
    code: 'validation_failed',
    errors: [{ code: 'required', attr: 'reason' }],
  });
  for (const id of ['m', 'a\u0000b', '%']) {
    expect(await remove(id, { reason: 'wrong' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
});

test("rejects a supplier's key", async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect((await service.call('POST', '/v1/operations/market-messages/', { token, body: [good] })).body.code).toBe(
    'permission_denied',
  );
});
