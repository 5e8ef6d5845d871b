import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { loggedFault, type Log } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { reconciliationWorkItem, type ReconciliationRecord } from './reconciliation.store.ts';

const DEADLINE_MS = 3_000;

/** Starts the run of a committed reconciliation. Never fails: the dispatcher starts it if Temporal does not. */
export async function startReconciliationRun(
  { gateway, log }: { gateway: TemporalGateway; log: Log },
  reconciliation: Pick<ReconciliationRecord, 'id' | 'importSupplier'>,
): Promise<void> {
  try {
    const client = gateway.client();
    await client.withDeadline(Date.now() + DEADLINE_MS, () => startRun(client, reconciliationWorkItem(reconciliation)));
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    log.warn({ fault: loggedFault(error) }, 'reconciliation not started; the dispatcher starts it');
  }
}
