import { isGrpcServiceError } from '@temporalio/client';
import type { createAccounts } from '../../../workflows/account-import/create-accounts.workflow.ts';
import { startRun } from '../../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import { TemporalUnavailable } from '../../platform/temporal/temporal-faults.ts';
import { CreationNotStarted, type CreationRuns } from './create-account.queue.ts';
import type { CreationNotifications } from './creation-notifications.store.ts';

/** The minimum, because Temporal counts whole seconds; its default is ten. Local activities extend it when needed. */
const WORKFLOW_TASK_TIMEOUT = '1s';

/** gRPC code UNAVAILABLE, and the messages of the transport when no connection was established, so that nothing was sent. */
const GRPC_UNAVAILABLE = 14;
const NEVER_CONNECTED = /tcp connect error|connection refused|dns error|failed to connect/i;
/** gRPC codes of a rejected start: invalid argument, not found, permission denied and similar. */
const GRPC_REFUSED = new Set([3, 5, 7, 8, 9, 12, 16]);

/**
 * Starts creations as Temporal workflows. Postgres notifies of the commit before Temporal reports the result, which saves a quarter of the
 * wait; whichever arrives first is the answer, since both are equal.
 * @param startDeadlineMs longest wait for Temporal to accept a run; afterwards it is unknown whether the run was started
 */
export function temporalCreationRuns(
  gateway: TemporalGateway,
  startDeadlineMs: number,
  notifications: CreationNotifications,
): CreationRuns {
  return {
    async start(entries, workflowId) {
      const { outcomes: announced, forget } = notifications.await(workflowId);
      try {
        const client = gateway.client();
        const handle = await client.withDeadline(Date.now() + startDeadlineMs, () =>
          startRun<typeof createAccounts>(
            client,
            { kind: 'create-accounts', workflowId, input: { entries: [...entries] } },
            // If a worker is killed with a run, or gets a run while it shuts down, the caller waits and the run keeps its slots until this
            // timeout gives the run to another worker.
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
