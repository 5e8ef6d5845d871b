import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';
import { instructionCalls, workItemsOf } from '../../support/payment-vendors.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test('without Temporal it is written down, answered 503 soon, and written down once however often it is sent', async () => {
  const create = instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  await addAccounts(service, ['AWAY']);
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 }, () => create('AWAY', 'MD-1')));
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable', detail: expect.stringContaining('starts by itself') },
      headers: { 'retry-after': '5' },
    });
  }
  expect(await workItemsOf(service, 'AWAY')).toBe(1);
  const { rows } = await service.database.pool.query('select kind, input from work_item');
  expect(rows).toMatchObject([
    {
      kind: 'verify-payment-instruction',
      input: { importSupplier: 'SUPPLIER_FR', externalAccountNumber: 'AWAY', vendor: 'GOCARDLESS' },
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain('MD-1');
});
