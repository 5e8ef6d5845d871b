import { afterAll, expect, test } from '@jest/globals';
import { faultsOf, addAccounts } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test.each<[object, string[]]>([
  [{}, ['required decision', 'required reason']],
  [{ decision: 'go_on', reason: ' ' }, ['blank reason', 'invalid_choice decision']],
])('rejects %j with all violations', async (body, faults) => {
  const answer = await service.call(
    'PUT',
    '/v1/operations/account-import-processes/SUPPLIER_FR/ANY/supply-point-claim/',
    { token: service.operatorToken, body },
  );
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(faultsOf(answer).sort()).toEqual(faults);
});

const decide = (external: string, body: object) =>
  service.call('PUT', `/v1/operations/account-import-processes/SUPPLIER_FR/${external}/supply-point-claim/`, {
    token: service.operatorToken,
    body,
  });

test('answers 404 for an unknown account, and for one without a pending decision', async () => {
  await addAccounts(service, ['PLAIN']);
  expect(await decide('NOBODY', { decision: 'GO_ON', reason: 'why' })).toMatchObject({
    status: 404,
    body: { code: 'account_not_found' },
  });
  expect(await decide('PLAIN', { decision: 'LEAVE', reason: 'why' })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  const { rows } = await service.database.pool.query(
    `select (select count(*)::integer from work_item) as owed, (select count(*)::integer from audit_entry where action = 'supply_point_claim.decided') as audited`,
  );
  expect(rows).toEqual([{ owed: 0, audited: 0 }]);
});
