import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';
import { countAllRows } from '../../support/table-counts.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test.each([
  ['no token', undefined, 'not_authenticated'],
  ['an unknown token', `Token gwa_${'x'.repeat(43)}`, 'authentication_failed'],
])('stages nothing with %s', async (_name, authorization, code) => {
  const before = await countAllRows(service.database);
  const answer = await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
    ...(authorization ? { headers: { authorization } } : {}),
  });
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Token');
  expect(answer.body).toEqual(errorBody(code));
  expect(await countAllRows(service.database)).toEqual(before);
});
