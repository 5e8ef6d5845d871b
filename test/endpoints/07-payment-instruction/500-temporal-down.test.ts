import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';
import { instructionCalls, workItemsOf } from '../../support/payment-vendors.ts';

const service = await startService({ temporal: false });
const withoutNamespace = await startService({ settings: { TEMPORAL_NAMESPACE: 'no-such-namespace' } });
afterAll(async () => {
  await service.stop();
  await withoutNamespace?.stop();
});

test.each<[string, () => Service]>([
  ['Temporal is away', () => service],
  ['its namespace is missing', () => withoutNamespace],
])('stores the verification once and continues it later while %s', async (_what, of) => {
  const create = instructionCalls(of(), await of().supplierToken(['SUPPLIER_FR']));
  await addAccounts(of(), ['AWAY']);
  const answers = await Promise.all(Array.from({ length: 5 }, () => create('AWAY', 'MD-1')));
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 500,
      body: {
        code: 'payment_vendor_unavailable',
        detail: expect.stringContaining('verification continues'),
        error_detail: answer.body.detail,
        reference: 'MD-1',
      },
      headers: { 'retry-after': '5' },
    });
  }
  expect(await workItemsOf(of(), 'AWAY')).toBe(1);
  const { rows } = await of().database.pool.query('select kind, input from work_item');
  expect(rows).toMatchObject([
    {
      kind: 'verify-payment-instruction',
      input: { importSupplier: 'SUPPLIER_FR', externalAccountNumber: 'AWAY', vendor: 'GOCARDLESS' },
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain('MD-1');
});
