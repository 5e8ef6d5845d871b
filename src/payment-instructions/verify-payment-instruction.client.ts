import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowIdConflictPolicy, type Client, type WorkflowHandle } from '@temporalio/client';
import type { verifyPaymentInstruction } from '../../workflows/payment-instructions/verify-payment-instruction.workflow.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { VerificationInput, VerificationOutcome } from './payment-instruction.rules.ts';

/** Interval at which waiting requests check whether the vendor is paused. */
const CHECK_EVERY_MS = 500;

export interface WaitLimits {
  /** Longest wait for Temporal to accept the start. */
  startDeadlineMs: number;
  /** Longest wait for the outcome. */
  answerTimeoutMs: number;
  /** Aborted when the caller disconnects. */
  hungUp: AbortSignal;
  /** Whether the circuit breaker of the vendor is open; if so, the caller stops waiting. */
  isPaused(): Promise<boolean>;
}

/**
 * Starts the workflow of a verification, or joins the running one, and waits for its outcome within the limits. Failures here lose nothing,
 * because the work item is stored.
 */
export async function awaitVerification(
  gateway: TemporalGateway,
  log: Log,
  work: { workflowId: string; input: VerificationInput },
  limits: WaitLimits,
): Promise<VerificationOutcome> {
  const deadline = Date.now() + limits.answerTimeoutMs;
  const ended = new AbortController();
  try {
    const client = gateway.client();
    const starting = start(client, work, limits.startDeadlineMs);
    // The connection makes several attempts, each with the full deadline; the caller waits for one deadline only.
    const handle = await Promise.race([starting, sleep(limits.startDeadlineMs, undefined, { signal: ended.signal })]);
    starting.catch(() => {});
    if (handle === undefined) return { kind: 'waits' };
    return await Promise.race([
      client.withDeadline(deadline, () => handle.result()).catch((error: unknown) => waitsAfter(error, log)),
      whenDisconnected(limits.hungUp),
      whenPaused(limits.isPaused, ended.signal),
    ]);
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    return { kind: 'waits' };
  } finally {
    ended.abort();
  }
}

function start(
  client: Client,
  { workflowId, input }: { workflowId: string; input: VerificationInput },
  deadlineMs: number,
): Promise<WorkflowHandle<typeof verifyPaymentInstruction>> {
  return client.withDeadline(Date.now() + deadlineMs, () =>
    startRun<typeof verifyPaymentInstruction>(
      client,
      { kind: 'verify-payment-instruction', workflowId, input },
      { workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING },
    ),
  );
}

/** The caller timed out, Temporal became unavailable, or an operator ended the run. The work item remains in each case. */
function waitsAfter(error: unknown, log: Log): VerificationOutcome {
  if (error instanceof WorkflowFailedError) {
    log.warn(
      { fault: loggedFault(error) },
      'verification run ended without an outcome; the dispatcher starts it again',
    );
  } else if (!isTemporalAway(error)) log.error({ fault: loggedFault(error) }, 'verification cannot be awaited');
  return { kind: 'waits' };
}

/** Resolves once the vendor is paused. */
async function whenPaused(isPaused: () => Promise<boolean>, ended: AbortSignal): Promise<VerificationOutcome> {
  while (!ended.aborted && !(await isPaused())) {
    await sleep(CHECK_EVERY_MS, undefined, { signal: ended }).catch(() => {});
  }
  return { kind: 'waits' };
}

function whenDisconnected(hungUp: AbortSignal): Promise<VerificationOutcome> {
  return new Promise((resolve) => {
    if (hungUp.aborted) resolve({ kind: 'waits' });
    hungUp.addEventListener('abort', () => resolve({ kind: 'waits' }), { once: true });
  });
}
