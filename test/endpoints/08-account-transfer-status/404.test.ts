import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
await service.database.pool.query(
  `insert into import_supplier (code, name, status) values ('FOREIGN', 'F', 'Ongoing')`,
);
const token = await service.supplierToken(['SUPPLIER_FR']);
const foreign = await service.supplierToken(['FOREIGN']);
for (const [owner, code] of [
  [token, 'SUPPLIER_FR'],
  [foreign, 'FOREIGN'],
] as const) {
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token: owner,
    body: domesticAccount({ import_supplier: code }, 1),
  });
}

const status = (path: string) => service.call('GET', `/v1/data-import/account-transfer-status/${path}/`, { token });

test.each([
  ['an unknown number', 'SUPPLIER_FR/NONE'],
  ['a number of another supplier', 'FOREIGN/HOME-00000001'],
  ['an unknown supplier', 'NOBODY/HOME-00000001'],
  ['a supplier in lower case', 'supplier_fr/HOME-00000001'],
  ['a number in lower case', 'SUPPLIER_FR/home-00000001'],
  ['U+0000 in the number', 'SUPPLIER_FR/A%00B'],
  ['U+0000 in the supplier', 'SUPPLIER%00FR/HOME-00000001'],
  ['half a surrogate pair', 'SUPPLIER_FR/%ED%A0%80'],
  ['a broken percent sign', 'SUPPLIER_FR/%zz'],
  ['a lone percent sign', 'SUPPLIER_FR/100%'],
  ['a number of 5,000 characters', `SUPPLIER_FR/${'x'.repeat(5_000)}`],
  ['a prototype member', '__proto__/constructor'],
])('answers %s with the same body, which does not reveal what exists', async (_name, path) => {
  const answer = await status(path);
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual((await status('SUPPLIER_FR/none-at-all')).body);
  expect(answer.body).toEqual(errorBody('not_found'));
});

test("answers an operator's key that it needs a supplier's key", async () => {
  const answer = await service.call('GET', '/v1/data-import/account-transfer-status/FOREIGN/HOME-00000001/', {
    token: service.operatorToken,
  });
  expect(answer).toMatchObject({
    status: 404,
    body: errorBody('not_found', expect.stringMatching(/operator's key.* supplier's key/)),
  });
});
