import { loggedFault, type Log } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { reconciliationWorkItem, type ReconciliationRecord } from './reconciliation.store.ts';

const DEADLINE_MS = 3_000;

/** Starts the run of a reconciliation, after it was committed. Never fails: what Temporal does not take is started by the dispatcher. */
export async function startReconciliationRun(
  { gateway, log }: { gateway: TemporalGateway; log: Log },
  reconciliation: Pick<ReconciliationRecord, 'id' | 'importSupplier'>,
): Promise<void> {
  try {
    const client = gateway.client();
    await client.withDeadline(Date.now() + DEADLINE_MS, () => startRun(client, reconciliationWorkItem(reconciliation)));
  } catch (error) {
    log.warn(
      { fault: loggedFault(error) },
      'the run of a reconciliation could not be started; the dispatcher starts it',
    );
  }
}
