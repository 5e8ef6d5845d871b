import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type {
  VerificationAnswer,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import { callVendor } from '../../src/payment-instructions/call-vendor.client.ts';
import {
  findOpenVerification,
  completeVerification,
} from '../../src/payment-instructions/complete-verification.store.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import type { PaymentVendors } from '../../src/vendors/payment-vendor/open.ts';
import type { PaymentVendor } from '../../src/vocabulary/value-sets.ts';
import {
  VendorBusy,
  VendorMisconfigured,
  VendorRejected,
  VendorError,
  VendorUnavailable,
} from '../../src/vocabulary/vendor-errors.ts';
import { paymentBudget } from '../../temporal.config.ts';
import { afterDelay, notYetFailure, onDatabase, vendorFailure } from '../failures.ts';

export type PaymentInstructionActivities = ReturnType<typeof vendorActivities> &
  ReturnType<typeof completingActivities>;

/** Calls to payment vendors. They only read, so a repeated call after a crash is harmless. */
export function vendorActivities(deps: { database: Database; vendors: PaymentVendors; log: Log }) {
  const lastErrors = new Map<PaymentVendor, VendorError>();
  return {
    /**
     * One attempt. Final answers are its results; temporary ones are failures with the time until the next attempt. It reads the
     * reference from the database, so that no history contains it.
     */
    async askPaymentVendor({
      verificationId,
      vendor,
    }: {
      verificationId: string;
      vendor: PaymentVendor;
    }): Promise<VerificationAnswer> {
      const open = await onDatabase(
        deps.log,
        'verification not read',
        () => findOpenVerification(deps.database, verificationId),
        { verificationId },
      );
      // Another run has completed the verification.
      if (open === undefined) return { kind: 'settled' };
      const attempt = activityInfo().attempt;
      try {
        const state = await callVendor(deps.vendors, open, cancellationSignal());
        lastErrors.delete(vendor);
        if (state.kind === 'usable') return { kind: 'usable' };
        throw afterDelay(notYetFailure(vendor, state.status), jitterMs(attempt, paymentBudget.longestWaitNotYetMs));
      } catch (error) {
        if (error instanceof VendorRejected) {
          lastErrors.delete(vendor);
          return { kind: 'refused', reason: error.reason };
        }
        if (!(error instanceof VendorError)) throw error;
        const wasCalled = !(error instanceof VendorUnavailable) || error.wasCalled;
        // Only we can correct this, so it is logged as an error.
        if (error instanceof VendorMisconfigured) deps.log.error({ vendor, verificationId, attempt }, error.message);
        if (wasCalled) lastErrors.set(vendor, error);
        throw delayed(wasCalled ? error : causeOfPause(error, lastErrors.get(vendor)), attempt);
      }
    },
  };
}

/** Activities on our database. */
export function completingActivities(deps: { database: Database; log: Log }) {
  return {
    /** Stores the outcome and a verified instruction in one transaction. A second run returns the outcome of the first. */
    async completePaymentVerification({
      verificationId,
      workflowId,
      answer,
    }: {
      verificationId: string;
      workflowId: string;
      answer: VerificationAnswer;
    }): Promise<VerificationOutcome> {
      const complete = () =>
        deps.database.transaction((em) => completeVerification(em, { verificationId, workflowId, answer }));
      return onDatabase(deps.log, 'outcome of a verification not stored', complete, { verificationId });
    },
  };
}

/** While the circuit breaker is open, shows operators a configuration error as its cause. */
function causeOfPause(pause: VendorError, before: VendorError | undefined): VendorError {
  return before instanceof VendorMisconfigured
    ? new VendorMisconfigured(
        `${before.message} After several failures in a row, it is paused and was not called this time.`,
      )
    : pause;
}

/** Keeps a Retry-After of the vendor, with jitter so that waiting runs do not retry all at the same time. */
function delayed(error: VendorError, attempt: number): ApplicationFailure {
  const jitter = jitterMs(attempt, paymentBudget.longestWaitMs);
  return afterDelay(
    vendorFailure(error),
    error instanceof VendorBusy
      ? error.retryAfterSeconds * 1_000 + Math.min(jitter, error.retryAfterSeconds * 500)
      : jitter,
  );
}

/** Exponential backoff with full jitter. */
function jitterMs(attempt: number, longestMs: number): number {
  return Math.ceil(Math.random() * Math.min(longestMs, paymentBudget.firstWaitMs * 2 ** (attempt - 1)));
}
