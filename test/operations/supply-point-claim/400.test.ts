import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { faultsOf } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

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
