import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { instructionCalls, instructionsOf, workItemsOf, startPaymentVendors } from '../../support/payment-vendors.ts';

const vendors = await startPaymentVendors();
// No caller would be answered within the time of a test if only the timeout ended the wait.
const service = await startService({ worker: true, settings: { ...vendors.settings, PAYMENT_TIMEOUT_MS: '600000' } });
const create: ReturnType<typeof instructionCalls> = instructionCalls(
  service,
  await service.supplierToken(['SUPPLIER_FR']),
);
await addAccounts(service, ['DOWN-0', 'DOWN-1', 'DOWN-2', 'DOWN-3', 'DOWN-4', 'DOWN-5', 'OTHER', 'GOOD']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

const isBreakerOpen = async () =>
  (
    await service.database.pool.query(
      `select 1 from payment_vendor_rest where vendor = 'GOCARDLESS' and ends_at > clock_timestamp()`,
    )
  ).rows.length > 0;

test("answers 500 immediately while a vendor's circuit breaker is open, and continues the verification", async () => {
  // Six that fail until the vendor heals open the breaker; waiting callers are answered then.
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => create(`DOWN-${index}`, `MD-FAILING-1000-${index}`)),
  );
  expect(new Set(answers.map(({ status, body }) => body.code ?? status))).toEqual(
    new Set(['payment_vendor_unavailable']),
  );
  expect(answers[0]).toMatchObject({ status: 500, headers: { 'retry-after': '5' } });
  await until(isBreakerOpen);
  const answer = await create('GOOD', 'MD-GOOD');
  expect(answer).toMatchObject({ status: 500, body: { code: 'payment_vendor_unavailable', reference: 'MD-GOOD' } });
  expect(vendors.of.GOCARDLESS.callsAbout('MD-GOOD')).toBe(0);
  expect(await workItemsOf(service, 'GOOD')).toBe(1);
  // Each call that closes a breaker would open the next one, a random number of times.
  vendors.of.GOCARDLESS.heal();
  // Another vendor is called as usual.
  expect((await create('OTHER', 'RUM-1', { vendor: 'SLIMPAY' })).status).toBe(201);
  await until(async () => (await instructionsOf(service, 'GOOD')).length === 1);
  expect((await create('GOOD', 'MD-GOOD')).status).toBe(201);
  // The vendor answers: its breaker closes, and requests wait for it again.
  await until(async () => !(await isBreakerOpen()));
}, 240_000);
