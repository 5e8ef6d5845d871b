import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type {
  VerificationAnswer,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import {
  findOpenVerification,
  completeVerification,
  type OpenVerification,
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

export type PaymentInstructionActivities = ReturnType<typeof askingActivities> &
  ReturnType<typeof completingActivities>;

/** Calls to payment vendors; they change nothing there, so that asking twice after a crash does no harm. */
export function askingActivities(deps: { database: Database; vendors: PaymentVendors; log: Log }) {
  const lastErrors = new Map<PaymentVendor, VendorError>();
  return {
    /**
     * One attempt. Yes and no for good are its results; whatever may heal is its failure, which names the wait before the
     * next one. The reference is read here, so that it stands in no history.
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
        'a verification cannot be read',
        () => findOpenVerification(deps.database, verificationId),
        { verificationId },
      );
      // A run that was lost and started again after another one had completed it.
      if (open === undefined) return { kind: 'settled' };
      const attempt = activityInfo().attempt;
      try {
        const state = await ask(deps.vendors, open);
        lastErrors.delete(vendor);
        if (state.kind === 'usable') return { kind: 'usable' };
        throw afterDelay(notYetFailure(vendor, state.status), jitterMs(attempt, paymentBudget.longestWaitNotYetMs));
      } catch (error) {
        if (error instanceof VendorRejected) {
          lastErrors.delete(vendor);
          return { kind: 'refused', reason: error.reason };
        }
        if (!(error instanceof VendorError)) throw error;
        const isAsked = !(error instanceof VendorUnavailable) || error.wasAsked;
        // Ours to mend and nothing that heals unseen: the alarm.
        if (error instanceof VendorMisconfigured) deps.log.error({ vendor, verificationId, attempt }, error.message);
        if (isAsked) lastErrors.set(vendor, error);
        throw delayed(isAsked ? error : behindRest(error, lastErrors.get(vendor)), attempt);
      }
    },
  };
}

/** Work on our own database. */
export function completingActivities(deps: { database: Database; log: Log }) {
  return {
    /** Writes the outcome down and stores a verified instruction, in one transaction; a second run finds the first one's outcome. */
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
        deps.database.transaction((em) => completeVerification(em, verificationId, workflowId, answer));
      return onDatabase(deps.log, 'the outcome of a verification cannot be written', complete, { verificationId });
    },
  };
}

/** All calls of an attempt together end before its activity does, and are ended for real. */
async function ask(vendors: PaymentVendors, open: OpenVerification) {
  const port = vendors[open.vendor];
  if (port === undefined) throw new VendorMisconfigured(`${open.vendor} has no address set: set ${open.vendor}_URL.`);
  const inTime = AbortSignal.timeout(paymentBudget.askMs);
  const ending = AbortSignal.any([inTime, cancellationSignal()]);
  try {
    return await port.check(
      { reference: open.reference, type: open.type, externalAccountNumber: open.externalAccountNumber },
      ending,
    );
  } catch (error) {
    if (inTime.aborted && !(error instanceof VendorError)) {
      throw new VendorUnavailable(`${open.vendor} did not answer within ${paymentBudget.askMs} ms.`);
    }
    throw error;
  }
}

/** Why a vendor is given a rest is what operators have to know, when it is ours to mend. */
function behindRest(rest: VendorError, before: VendorError | undefined): VendorError {
  return before instanceof VendorMisconfigured
    ? new VendorMisconfigured(`${before.message} After several tries in a row it was not asked this time.`)
    : rest;
}

/** A pause that was asked for is kept, with some jitter behind it so that those who wait do not come back at once. */
function delayed(error: VendorError, attempt: number): ApplicationFailure {
  const jitter = jitterMs(attempt, paymentBudget.longestWaitMs);
  return afterDelay(
    vendorFailure(error),
    error instanceof VendorBusy
      ? error.retryAfterSeconds * 1_000 + Math.min(jitter, error.retryAfterSeconds * 500)
      : jitter,
  );
}

/** Full jitter: any time up to the doubled limit of the attempt before. */
function jitterMs(attempt: number, longestMs: number): number {
  return Math.ceil(Math.random() * Math.min(longestMs, paymentBudget.firstWaitMs * 2 ** (attempt - 1)));
}
