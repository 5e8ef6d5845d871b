import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowIdConflictPolicy, type Client, type WorkflowHandle } from '@temporalio/client';
import type { verifyPaymentInstruction } from '../../workflows/payment-instructions/verify-payment-instruction.workflow.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { VerificationInput, VerificationOutcome } from './payment-instruction.rules.ts';

/** Pause between two looks whether the vendor rests. */
const LOOK_EVERY_MS = 500;

export interface WaitLimits {
  /** Longest wait for Temporal to take the start. */
  startDeadlineMs: number;
  /** Longest wait for the outcome. */
  answerTimeoutMs: number;
  /** Aborted when the caller has gone. */
  hungUp: AbortSignal;
  /** Tells whether the vendor is given a rest: nobody is kept waiting for that. */
  isResting(): Promise<boolean>;
}

/**
 * Starts the workflow of a verification, or joins the one that runs, and waits for its outcome as long as the caller
 * does. Whatever goes wrong here loses nothing: the work is enqueued.
 */
export async function awaitVerification(
  gateway: TemporalGateway,
  log: Log,
  work: { workflowId: string; input: VerificationInput },
  limits: WaitLimits,
): Promise<VerificationOutcome> {
  const giveUpAt = Date.now() + limits.answerTimeoutMs;
  const ended = new AbortController();
  try {
    const client = gateway.client();
    const starting = start(client, work, limits.startDeadlineMs);
    // The connection tries several times, each time for as long as the deadline; the caller waits for it once.
    const handle = await Promise.race([starting, sleep(limits.startDeadlineMs, undefined, { signal: ended.signal })]);
    starting.catch(() => {});
    if (handle === undefined) return { kind: 'waits' };
    return await Promise.race([
      client.withDeadline(giveUpAt, () => handle.result()).catch((error: unknown) => goesOn(error, log)),
      whenGone(limits.hungUp),
      whenResting(limits.isResting, ended.signal),
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

/** The time of the caller ended, Temporal went away, or somebody ended the run: the work item outlives all of them. */
function goesOn(error: unknown, log: Log): VerificationOutcome {
  if (error instanceof WorkflowFailedError) {
    log.warn({ fault: loggedFault(error) }, 'a verification ended without an outcome; it is started again');
  } else if (!isTemporalAway(error)) log.error({ fault: loggedFault(error) }, 'a verification cannot be waited for');
  return { kind: 'waits' };
}

/** Never, as long as the vendor is asked. */
async function whenResting(isResting: () => Promise<boolean>, ended: AbortSignal): Promise<VerificationOutcome> {
  while (!ended.aborted && !(await isResting())) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: ended }).catch(() => {});
  }
  return { kind: 'waits' };
}

function whenGone(hungUp: AbortSignal): Promise<VerificationOutcome> {
  return new Promise((resolve) => {
    if (hungUp.aborted) resolve({ kind: 'waits' });
    hungUp.addEventListener('abort', () => resolve({ kind: 'waits' }), { once: true });
  });
}
