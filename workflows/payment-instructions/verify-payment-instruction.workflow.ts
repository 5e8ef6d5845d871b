import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { PaymentInstructionActivities } from '../../activities/payment-instructions/verify-payment-instruction.activities.ts';
import type {
  VerificationAnswer,
  VerificationInput,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import { creationBudget, paymentBudget, taskQueues } from '../../temporal.config.ts';

/** First attempt as a local activity: it stores most outcomes, at a third of the cost of a regular activity. */
const quick = proxyLocalActivities<PaymentInstructionActivities>({
  startToCloseTimeout: creationBudget.firstTry.startToCloseTimeout,
  retry: { maximumAttempts: creationBudget.firstTry.maximumAttempts },
});

const waiting = proxyActivities<PaymentInstructionActivities>({
  startToCloseTimeout: paymentBudget.completeTimeout,
  // Retried forever and at short intervals, because callers wait.
  retry: {
    initialInterval: creationBudget.waiting.initialInterval,
    backoffCoefficient: creationBudget.waiting.backoffCoefficient,
    maximumInterval: creationBudget.waiting.maximumInterval,
  },
  summary: 'Waits for the database to store the outcome',
});

/**
 * Calls the payment vendor until it gives a final answer or the budget is exhausted, then stores the outcome once. The web UI shows the
 * wait as one pending activity with its last failure and next attempt.
 */
export async function verifyPaymentInstruction(input: VerificationInput): Promise<VerificationOutcome> {
  setCurrentDetails(
    `Checks with ${input.vendor} whether the payment instruction can be used. The pending activity shows the last failure and is retried automatically. ` +
      'To retry now, choose "Reset" on it. The supplier gets the result when it sends the same request again.',
  );
  const answer = await verifyUntilAnswered(input);
  return storeOutcome({ verificationId: input.verificationId, workflowId: workflowInfo().workflowId, answer });
}

async function storeOutcome(
  outcome: Parameters<PaymentInstructionActivities['completePaymentVerification']>[0],
): Promise<VerificationOutcome> {
  try {
    return await quick.completePaymentVerification(outcome);
  } catch (error) {
    if (isCancellation(error)) throw error;
    // Also reached after a timeout with unknown outcome: a second run finds the outcome of the first.
    return waiting.completePaymentVerification(outcome);
  }
}

async function verifyUntilAnswered(input: VerificationInput): Promise<VerificationAnswer> {
  const { askPaymentVendor } = proxyActivities<PaymentInstructionActivities>({
    taskQueue: taskQueues.payments,
    startToCloseTimeout: paymentBudget.attemptTimeout,
    scheduleToCloseTimeout: input.budgetMs,
    // Failures contain their own backoff (full jitter); this one is for attempts that ended without a failure.
    retry: {
      initialInterval: paymentBudget.firstWaitMs,
      backoffCoefficient: 2,
      maximumInterval: paymentBudget.longestWaitMs,
    },
    summary: `Calls ${input.vendor}`,
  });
  for (;;) {
    try {
      return await askPaymentVendor({ verificationId: input.verificationId, vendor: input.vendor });
    } catch (error) {
      if (isCancellation(error)) throw error;
      const reason = classOf(error);
      // Our database failed, not the vendor, so the attempt gets a new budget.
      if (reason === 'database_unavailable') continue;
      log.warn('budget of a verification exhausted', { vendor: input.vendor, reason });
      return { kind: 'unreachable', reason };
    }
  }
}

/** The type of the failure of the last attempt. */
function classOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.type ?? 'error';
  // If the budget ends between two attempts, the timeout contains the failure of the last attempt in its raw form.
  return (cause instanceof TimeoutFailure && cause.failure?.cause?.applicationFailureInfo?.type) || 'timeout';
}
