import { isGrpcServiceError } from '@temporalio/client';
import type { createAccounts } from '../../../workflows/account-import/create-accounts.workflow.ts';
import { startRun } from '../../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import { TemporalUnavailable } from '../../platform/temporal/temporal-faults.ts';
import { CreationNotStarted, type CreationRuns } from './creation-batches.queue.ts';
import type { CreationNotifications } from './creation-notifications.store.ts';

/** The minimum: Temporal counts whole seconds, and its default is ten. Local activities request more time when they need it. */
const WORKFLOW_TASK_TIMEOUT = '1s';

/** gRPC's UNAVAILABLE, with the words that the transport uses when no connection came about: nothing was sent. */
const GRPC_UNAVAILABLE = 14;
const NEVER_CONNECTED = /tcp connect error|connection refused|dns error|failed to connect/i;
/** Answers by which the server says that it did not take the start: invalid, no such namespace, not allowed, too much. */
const GRPC_REFUSED = new Set([3, 5, 7, 8, 9, 12, 16]);

/**
 * Creation runs as Temporal workflows. Postgres notifies of a commit before Temporal reports the end of the run, which saves a
 * quarter of the wait. The first of both is the answer; they are equal.
 * @param startDeadlineMs longest wait for Temporal to accept a run; after it the outcome of the start is unknown
 */
export function temporalCreationRuns(
  gateway: TemporalGateway,
  startDeadlineMs: number,
  notifications: CreationNotifications,
): CreationRuns {
  return {
    async start(entries, workflowId) {
      const { outcomes: announced, forget } = notifications.await(entries[0]?.creationId ?? '');
      try {
        const client = gateway.client();
        const handle = await client.withDeadline(Date.now() + startDeadlineMs, () =>
          startRun<typeof createAccounts>(
            client,
            { kind: 'create-accounts', workflowId, input: { entries: [...entries] } },
            // A run that a worker had when it was killed, or was given in the moment in which it ended, holds its caller up, and
            // keeps its slots of the concurrency limit, until another worker gets it.
            { requestEagerStart: true, workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT },
          ),
        );
        const ended = handle.result();
        ended.then(forget, forget);
        return { outcomes: Promise.race([announced, ended]) };
      } catch (error) {
        forget();
        throw neverSent(error) ? new CreationNotStarted('Temporal cannot be reached', { cause: error }) : error;
      }
    },
  };
}

function neverSent(error: unknown): boolean {
  if (error instanceof TemporalUnavailable) return true;
  for (let fault = error; typeof fault === 'object' && fault !== null; fault = (fault as { cause?: unknown }).cause) {
    if (!isGrpcServiceError(fault)) continue;
    return (
      GRPC_REFUSED.has(fault.code) ||
      (fault.code === GRPC_UNAVAILABLE && NEVER_CONNECTED.test(`${fault.details} ${fault.message}`))
    );
  }
  return false;
}
