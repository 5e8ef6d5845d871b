import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Service } from '../../support/harness.ts';
import { insertProcesses } from '../../support/import-process-lists.ts';

const LIST = '/v1/data-import/pending-account-import-processes';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
  await service.database.pool.query(
    `insert into import_supplier (code, name, status) values ('FOREIGN', 'F', 'Ongoing')`,
  );
  await insertProcesses(service.database, 'FOREIGN', ['1'], 'staged');
});
afterAll(async () => {
  await service.stop();
});

test.each(['FOREIGN', 'NOBODY', 'supplier_fr', 'SUPPLIER_FR%20', 'A%00', '%ED%A0%80', '__proto__', 'constructor'])(
  'the supplier %p: the same body as for one that does not exist',
  async (code) => {
    const answer = await service.call('GET', `${LIST}/${code}/`, { token });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(errorBody('not_found', 'There is no import supplier with this code.'));
  },
);

test("an operator's key is told that it needs a supplier's", async () => {
  const answer = await service.call('GET', `${LIST}/SUPPLIER_FR/`, { token: service.operatorToken });
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual(errorBody('not_found', expect.stringMatching(/operator's key.* supplier's key/)));
});

test('without a token nothing is told', async () => {
  expect(await service.call('GET', `${LIST}/SUPPLIER_FR/`)).toMatchObject({
    status: 401,
    body: { code: 'not_authenticated' },
  });
});
