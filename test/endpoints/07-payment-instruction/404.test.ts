import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';
import { insertProcesses } from '../../support/import-process-lists.ts';
import { instructionCalls } from '../../support/payment-vendors.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test('answers alike for an account that is unknown, only staged, or of another supplier, and stores nothing', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/HIDDEN/', { token: service.operatorToken, body: {} });
  await addAccounts(service, ['THERE']);
  await insertProcesses(service.database, 'SUPPLIER_FR', ['STAGED'], 'staged');
  const own = instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  const foreign = instructionCalls(service, await service.supplierToken(['HIDDEN']));
  const answers = await Promise.all([
    ...['STAGED', 'NOBODY', 'there'].map((external) => own(external, 'MD-1')),
    foreign('THERE', 'MD-1'),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'account_not_found', errors: [], detail: answers[0].body.detail },
    });
  }
  const { rows } = await service.database.pool.query(
    'select (select count(*)::integer from payment_verification) as asked, (select count(*)::integer from work_item) as owed',
  );
  expect(rows).toEqual([{ asked: 0, owed: 0 }]);
});

test('reports violations of the payload first', async () => {
  const own = instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  expect((await own('NOBODY', '')).status).toBe(400);
});
