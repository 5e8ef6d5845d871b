import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { switchTestOf } from '../../support/switching.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const tests = await switchTestOf(service);
await tests.create('HERE-1', ['21000000000001']);

const put = (external: string, body: unknown) =>
  tests.operate('PUT', `account-import-processes/SUPPLIER_FR/${external}/switch-status/`, body);

test.each<[string, object, string[]]>([
  ['nothing', {}, ['required status', 'required reason']],
  ['an unknown status', { status: 'UNKNOWN', reason: 'x' }, ['invalid_choice status']],
  ['no reason', { status: 'COMPLETED', reason: '' }, ['blank reason']],
  [
    'an unknown point',
    { status: 'COMPLETED', supply_point_identifier: '21999999999999', reason: 'x' },
    ['supply_point_not_found supply_point_identifier'],
  ],
])('rejects %s, and changes nothing', async (_what, body, faults) => {
  const answer = await put('HERE-1', body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(answer.body.errors.map(({ code, attr }: any) => `${code} ${attr}`)).toEqual(faults);
  expect(await tests.status('HERE-1')).toBe('PENDING');
  expect((await tests.view('HERE-1')).market_messages).toEqual([]);
  expect((await tests.operate('GET', 'audit/?action=switch_status.set')).body).toEqual([]);
});

test.each(['NOBODY', 'a%00b', 'x'.repeat(200)])('answers 404 for the account %p', async (external) => {
  const answer = await service.call(
    'PUT',
    `/v1/operations/account-import-processes/SUPPLIER_FR/${external}/switch-status/`,
    { token: service.operatorToken, body: { status: 'COMPLETED', reason: 'x' } },
  );
  expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
});
