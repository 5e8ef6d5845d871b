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
import type { PaymentInstructionActivities } from '../../activities/payment-instructions/index.ts';
import type {
  VerificationAnswer,
  VerificationInput,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import { creationBudget, paymentBudget, taskQueues } from '../../temporal.config.ts';

/** First try, inside the workflow task: most outcomes are written by it, at a third of the cost of a regular activity. */
const quick = proxyLocalActivities<PaymentInstructionActivities>({
  startToCloseTimeout: creationBudget.firstTry.startToCloseTimeout,
  retry: { maximumAttempts: creationBudget.firstTry.maximumAttempts },
});

const waiting = proxyActivities<PaymentInstructionActivities>({
  startToCloseTimeout: paymentBudget.completeTimeout,
  // Our own database: for ever, and often, because callers wait.
  retry: {
    initialInterval: creationBudget.waiting.initialInterval,
    backoffCoefficient: creationBudget.waiting.backoffCoefficient,
    maximumInterval: creationBudget.waiting.maximumInterval,
  },
  summary: 'Waits for the database to write the outcome down',
});

/**
 * Asks the payment vendor until it says yes or no for good, or the budget is spent; then writes the outcome down, once.
 * Waiting stands in the web UI as one activity with its attempt, the class of the last failure and the next attempt.
 */
export async function verifyPaymentInstruction(input: VerificationInput): Promise<VerificationOutcome> {
  setCurrentDetails(
    `Asks ${input.vendor} whether the payment instruction can be used. The pending activity says what kept the last attempt from an answer; ` +
      'it is made again by itself, and "Reset" on it makes it at once. The supplier gets the result when it sends the same request again.',
  );
  const answer = await askUntilAnswered(input);
  return settle({ verificationId: input.verificationId, workflowId: workflowInfo().workflowId, answer });
}

async function settle(
  outcome: Parameters<PaymentInstructionActivities['completePaymentVerification']>[0],
): Promise<VerificationOutcome> {
  try {
    return await quick.completePaymentVerification(outcome);
  } catch (error) {
    if (isCancellation(error)) throw error;
    // Also reached by a time-out of which nobody knows whether it committed: a second run finds the first one's outcome.
    return waiting.completePaymentVerification(outcome);
  }
}

async function askUntilAnswered(input: VerificationInput): Promise<VerificationAnswer> {
  const { askPaymentVendor } = proxyActivities<PaymentInstructionActivities>({
    taskQueue: taskQueues.payments,
    startToCloseTimeout: paymentBudget.askTimeout,
    scheduleToCloseTimeout: input.budgetMs,
    // Failures name their own waits (full jitter); these are for attempts that ended without a word.
    retry: {
      initialInterval: paymentBudget.firstWaitMs,
      backoffCoefficient: 2,
      maximumInterval: paymentBudget.longestWaitMs,
    },
    summary: `Asks ${input.vendor}`,
  });
  for (;;) {
    try {
      return await askPaymentVendor({ verificationId: input.verificationId, vendor: input.vendor });
    } catch (error) {
      if (isCancellation(error)) throw error;
      const reason = classOf(error);
      // The vendor is not to blame for our own database, whose absence is waited out with a new budget.
      if (reason === 'database_unavailable') continue;
      log.warn('the budget of a verification is spent', { vendor: input.vendor, reason });
      return { kind: 'unreachable', reason };
    }
  }
}

/** The class of the failure that kept the last attempt from an answer. */
function classOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.type ?? 'error';
  // A budget that ends between two attempts is a time-out with the last attempt's failure behind it, which the SDK leaves
  // where it came from.
  return (cause instanceof TimeoutFailure && cause.failure?.cause?.applicationFailureInfo?.type) || 'timeout';
}
