import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { vendorActivities } from '../../activities/payment-instructions/verify-payment-instruction.activities.ts';
import { createLog } from '../../src/platform/log.ts';
import { openPaymentVendors } from '../../src/vendors/payment-vendor/open.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { paymentBudget } from '../../temporal.config.ts';
import { addAccounts } from '../support/attachments.ts';
import { type Service, startService } from '../support/harness.ts';
import { instructionCalls, type SimulatedVendors, startPaymentVendors } from '../support/payment-vendors.ts';
import { until } from '../support/until.ts';

// One attempt without its workflow, on a real database, with the vendor behind HTTP. No worker processes the runs.

let service: Service;
let simulated: SimulatedVendors;
let vendors: ReturnType<typeof openPaymentVendors>;
let ask: ReturnType<typeof vendorActivities>['askPaymentVendor'];
let create: ReturnType<typeof instructionCalls>;
beforeAll(async () => {
  simulated = await startPaymentVendors();
  service = await startService({ settings: { ...simulated.settings, PAYMENT_TIMEOUT_MS: '200' } });
  vendors = openPaymentVendors(readSettings(simulated.settings));
  const log = createLog({ level: 'silent', process: 'test' });
  ask = vendorActivities({ database: service.database, vendors, log }).askPaymentVendor;
  create = instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']));
});
afterAll(async () => {
  await Promise.all(Object.values(vendors ?? {}).map((vendor) => vendor.close()));
  await service?.stop();
  await simulated?.stop();
});

/** Stores a verification of an instruction at GoCardless, like a supplier's request. */
async function requested(reference: string): Promise<{ verificationId: string; vendor: 'GOCARDLESS' }> {
  await addAccounts(service, [`A-${reference}`]);
  expect(await create(`A-${reference}`, reference)).toMatchObject({ status: 500 });
  const { rows } = await service.database.pool.query('select id from payment_verification where reference = $1', [
    reference,
  ]);
  return { verificationId: rows[0].id, vendor: 'GOCARDLESS' };
}

test('returns final answers as results, and calls no vendor for a completed verification', async () => {
  const [fine, unknown] = [await requested('MD-FINE'), await requested('MD-UNKNOWN')];
  const environment = new MockActivityEnvironment();
  expect(await environment.run(ask, fine)).toEqual({ kind: 'usable' });
  expect(await environment.run(ask, unknown)).toEqual({ kind: 'refused', reason: 'not_found' });
  await service.database.pool.query(
    "update payment_verification set outcome = 'verified', completed_at = now() where id = $1",
    [fine.verificationId],
  );
  const asked = simulated.of.GOCARDLESS.callsAbout('MD-FINE');
  expect(await environment.run(ask, fine)).toEqual({ kind: 'settled' });
  expect(simulated.of.GOCARDLESS.callsAbout('MD-FINE')).toBe(asked);
});

test.each([1, 3, 20])(
  'attempt %p sets the backoff: at most twice the previous limit, and at most the longest',
  async (attempt) => {
    const pending = await requested(`MD-${attempt}-PENDING`);
    const longestMs = Math.min(paymentBudget.longestWaitNotYetMs, paymentBudget.firstWaitMs * 2 ** (attempt - 1));
    const waits = new Set<number>();
    for (let time = 0; time < 10; time += 1) {
      const failure = await new MockActivityEnvironment({ attempt }).run(ask, pending).catch((error: unknown) => error);
      expect(failure).toMatchObject({ type: 'payment_instruction_not_yet', nonRetryable: false });
      waits.add((failure as ApplicationFailure).nextRetryDelay as number);
    }
    for (const waitMs of waits) {
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(longestMs);
    }
    expect(waits.size).toBeGreaterThan(1);
  },
);

test('aborts the call when it is cancelled, and does not count a failure of the vendor', async () => {
  const slow = await requested('MD-SLOW');
  const environment = new MockActivityEnvironment();
  const running = environment.run(ask, slow);
  await until(() => simulated.of.GOCARDLESS.callsAbout('MD-SLOW') === 1);
  const cancelledAt = performance.now();
  environment.cancel('WORKER_SHUTDOWN');
  await expect(running).rejects.toThrow(CancelledFailure);
  // The call was aborted: its own timeout is 5 s.
  expect(performance.now() - cancelledAt).toBeLessThan(4_000);
});
