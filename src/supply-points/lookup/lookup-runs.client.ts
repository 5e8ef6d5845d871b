import type { batchMoved } from '../../../workflows/supply-points/populate-supply-points.workflow.ts';
import type { workArrived } from '../../../workflows/supply-points/lookup-supply-points.workflow.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { startRun } from '../../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { batchWorkItem, lookupWorkItem } from '../populate/populate.store.ts';

/** Starts and wakes the runs that do lookups. */
export interface LookupRuns {
  /** Starts or wakes runs after a commit. Never fails: the dispatcher starts runs that could not be started here. */
  wake(what: { networkOperators: readonly NetworkOperatorName[]; batchIds: readonly string[] }): Promise<void>;
}

const START_DEADLINE_MS = 3_000;
const MOVED: (typeof batchMoved)['name'] = 'batchMoved';
const ARRIVED: (typeof workArrived)['name'] = 'workArrived';

/** Starts the runs in Temporal, or signals runs in progress. */
export function temporalLookupRuns({ gateway, log }: { gateway: TemporalGateway; log: Log }): LookupRuns {
  return {
    wake: async ({ networkOperators, batchIds }) => {
      try {
        await gateway.client().withDeadline(Date.now() + START_DEADLINE_MS, async () => {
          const client = gateway.client();
          for (const one of networkOperators) await startRun(client, lookupWorkItem(one), { signal: ARRIVED });
          for (const one of batchIds) await startRun(client, batchWorkItem(one), { signal: MOVED });
        });
      } catch (error) {
        log.warn({ fault: loggedFault(error) }, 'starting lookups failed; the dispatcher retries');
      }
    },
  };
}
