import { afterAll, expect, test } from '@jest/globals';
import { addAccounts, faultsOf } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { instructionCalls, instructionsOf, workItemsOf, startPaymentVendors } from '../../support/payment-vendors.ts';

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: { ...vendors.settings, PAYMENT_BUDGET_MS: '3000' } });
const create: ReturnType<typeof instructionCalls> = instructionCalls(
  service,
  await service.supplierToken(['SUPPLIER_FR']),
);
await addAccounts(service, ['ONE', 'REFUSED', 'MENDED', 'SPENT', 'WAITED']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

test.each<[string, unknown, object, string[]]>([
  [
    'everything wrong',
    5,
    { vendor: 'PAYPAL', type: 'CASH' },
    ['invalid_choice vendor', 'invalid reference', 'invalid_choice type'],
  ],
  [
    'an empty body',
    undefined,
    { vendor: undefined, type: undefined },
    ['required vendor', 'required reference', 'required type'],
  ],
  ['a blank reference', '  ', {}, ['blank reference']],
  ['a reference of 513 characters', 'x'.repeat(513), {}, ['max_length reference']],
  ['a reference with U+0000', 'MD\u0000', {}, ['null_characters_not_allowed reference']],
  ['a vendor in lower case', 'MD-1', { vendor: 'gocardless' }, ['invalid_choice vendor']],
  ['a card at GoCardless', 'MD-1', { type: 'CARD' }, ['invalid_payment_instruction type']],
  ['a card at SlimPay', 'RUM', { vendor: 'SLIMPAY', type: 'CARD' }, ['invalid_payment_instruction type']],
  [
    'an unsuitable type beside another violation',
    '',
    { vendor: 'SLIMPAY', type: 'CARD' },
    ['blank reference', 'invalid_payment_instruction type'],
  ],
  [
    'a number with a control character',
    'MD-1',
    { external_account_number: 'ONE\n2' },
    ['invalid external_account_number'],
  ],
])('rejects %s with all violations, and calls no vendor', async (_what, reference, more, faults) => {
  const callsBefore = vendors.of.GOCARDLESS.calls();
  const answer = await create('ONE', reference, more);
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', error_detail: answer.body.errors[0].detail, import_supplier: 'SUPPLIER_FR' },
  });
  expect(faultsOf(answer).sort()).toEqual(faults.sort());
  expect(vendors.of.GOCARDLESS.calls()).toBe(callsBefore);
  expect(await workItemsOf(service, 'ONE')).toBe(0);
});

test('reports a violation of a valid reference together with it, and does not return an oversized one', async () => {
  expect((await create('ONE', 'MD-1', { type: 'CARD' })).body).toMatchObject({
    reference: 'MD-1',
    external_account_number: 'ONE',
  });
  expect((await create('ONE', 'x'.repeat(100_000))).body.reference).toBeUndefined();
});

test.each([
  ['GOCARDLESS', 'DIRECT_DEBIT', 'MD-UNKNOWN', 'not_found'],
  ['GOCARDLESS', 'DIRECT_DEBIT', 'BA-UNKNOWN', 'not_found'],
  ['GOCARDLESS', 'DIRECT_DEBIT', 'MD-REVOKED', 'cancelled'],
  ['GOCARDLESS', 'DIRECT_DEBIT', 'BA-REVOKED', 'disabled'],
  ['GOCARDLESS', 'DIRECT_DEBIT', '..', 'not_found'],
  ['STRIPE', 'CARD', 'pm_UNKNOWN', 'not_found'],
  ['STRIPE', 'CARD', 'pm_REVOKED', 'not_reusable'],
  ['STRIPE', 'CARD', 'pm_sepa_1', 'wrong_type'],
  ['STRIPE', 'DIRECT_DEBIT', 'mandate_REVOKED', 'inactive'],
  ['SLIMPAY', 'DIRECT_DEBIT', 'RUM-UNKNOWN', 'not_found'],
  ['SLIMPAY', 'DIRECT_DEBIT', 'RUM-REVOKED', 'revoked'],
  ['ADYEN', 'CARD', 'UNKNOWN/CARD-1', 'not_found'],
  ['ADYEN', 'CARD', 'REVOKED/CARD-1', 'not_found'],
  ['ADYEN', 'CARD', 'shopper/CARD-9', 'not_found'],
  ['ADYEN', 'CARD', 'shopper/SEPA-1', 'wrong_type'],
  ['ADYEN', 'CARD', 'shopper/ONCE-1', 'not_reusable'],
])('rejects %s, %s %s permanently: %s, once, and stores nothing', async (vendor, type, reference, reason) => {
  const answer = await create('REFUSED', reference, { vendor, type });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'payment_vendor_rejected',
      errors: [],
      reason,
      error_detail: answer.body.detail,
      external_account_number: 'REFUSED',
      import_supplier: 'SUPPLIER_FR',
      reference,
    },
  });
  expect(JSON.stringify(answer.body)).not.toContain('A text of the vendor');
  const callsBefore = vendors.of[vendor as 'ADYEN'].calls();
  expect(await create('REFUSED', reference, { vendor, type })).toMatchObject({
    status: 400,
    body: { code: 'payment_vendor_rejected', reason },
  });
  expect(vendors.of[vendor as 'ADYEN'].calls()).toBe(callsBefore);
  expect(await instructionsOf(service, 'REFUSED')).toEqual([]);
  expect(await workItemsOf(service, 'REFUSED')).toBe(0);
});

test('calls the vendor again ten minutes after a rejection', async () => {
  expect((await create('MENDED', 'MD-UNKNOWN-2')).body.code).toBe('payment_vendor_rejected');
  await service.database.pool.query(
    `update payment_verification set completed_at = completed_at - interval '11 minutes' where reference = 'MD-UNKNOWN-2'`,
  );
  expect((await create('MENDED', 'MD-UNKNOWN-2')).body.code).toBe('payment_vendor_rejected');
  expect(vendors.of.GOCARDLESS.callsAbout('MD-UNKNOWN-2')).toBe(2);
});

test('ends as unreachable when the budget is spent, with the class of the last failure, and retries only after ten minutes', async () => {
  // Several failures in a row may open the circuit breaker; the verification continues later, and the same request
  // gets the result.
  let answer = await create('SPENT', 'MD-FAILING');
  while (answer.status === 500) answer = await create('SPENT', 'MD-FAILING');
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'payment_vendor_unreachable',
      reason: 'vendor_unavailable',
      external_account_number: 'SPENT',
      import_supplier: 'SUPPLIER_FR',
      reference: 'MD-FAILING',
    },
  });
  expect(await workItemsOf(service, 'SPENT')).toBe(0);
  const callsBefore = vendors.of.GOCARDLESS.callsAbout('MD-FAILING');
  expect(callsBefore).toBeGreaterThan(0);
  expect((await create('SPENT', 'MD-FAILING')).body.code).toBe('payment_vendor_unreachable');
  expect(vendors.of.GOCARDLESS.callsAbout('MD-FAILING')).toBe(callsBefore);
  const { rows } = await service.database.pool.query(
    `select outcome, reason from payment_verification where reference = 'MD-FAILING'`,
  );
  expect(rows).toEqual([{ outcome: 'unreachable', reason: 'vendor_unavailable' }]);
});

test('reports an instruction that its payer never approved in the same way', async () => {
  const answer = await create('WAITED', 'mandate_PENDING', { vendor: 'STRIPE' });
  expect(answer.body).toMatchObject({ code: 'payment_vendor_unreachable', reason: 'payment_instruction_not_yet' });
  await until(async () => (await workItemsOf(service, 'WAITED')) === 0);
});
