import { defineSearchAttributeKey } from '@temporalio/common';
import { taskQueues, workflowIds, workflowOfKind } from '../../temporal.config.ts';
import type {
  batchMoved,
  populateSupplyPoints,
} from '../../workflows/supply-points/populate-supply-points.workflow.ts';
import type { lookUpSupplyPoints, workArrived } from '../../workflows/supply-points/look-up-supply-points.workflow.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { operatorTitles, type NetworkOperatorName } from '../vocabulary/network-operators.ts';

/** Starts and wakes the runs of look-ups. */
export interface LookUpRuns {
  /** Sets going what a committed change owes. Never fails: the dispatcher starts what Temporal did not take. */
  wake(what: { networkOperators: readonly NetworkOperatorName[]; batchIds: readonly string[] }): Promise<void>;
}

const START_DEADLINE_MS = 3_000;
const MOVED: (typeof batchMoved)['name'] = 'batchMoved';
const ARRIVED: (typeof workArrived)['name'] = 'workArrived';
const attribute = (name: string, value: string) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value });

/** Runs as Temporal workflows; one that runs already is woken. */
export function temporalLookUpRuns({ gateway, log }: { gateway: TemporalGateway; log: Log }): LookUpRuns {
  const start = async (networkOperator: NetworkOperatorName): Promise<void> => {
    await gateway
      .client()
      .workflow.signalWithStart<typeof lookUpSupplyPoints>(workflowOfKind['look-up-supply-points'], {
        workflowId: workflowIds.lookUpSupplyPoints(networkOperator),
        taskQueue: taskQueues.imports,
        args: [{ networkOperator }],
        signal: ARRIVED,
        staticSummary: `Looks up supply points at ${operatorTitles[networkOperator]}`,
        typedSearchAttributes: [
          attribute('ImportKind', 'look-up-supply-points'),
          attribute('NetworkOperator', networkOperator),
        ],
      });
  };
  const watch = async (batchId: string): Promise<void> => {
    await gateway
      .client()
      .workflow.signalWithStart<typeof populateSupplyPoints>(workflowOfKind['populate-supply-points'], {
        workflowId: workflowIds.populateSupplyPoints(batchId),
        taskQueue: taskQueues.imports,
        args: [{ batchId }],
        signal: MOVED,
        staticSummary: 'Watches one batch of supply points; cancelling this run cancels the batch',
        typedSearchAttributes: [attribute('ImportKind', 'populate-supply-points'), attribute('BatchId', batchId)],
      });
  };
  return {
    wake: async ({ networkOperators, batchIds }) => {
      try {
        await gateway.client().withDeadline(Date.now() + START_DEADLINE_MS, async () => {
          for (const networkOperator of networkOperators) await start(networkOperator);
          for (const batchId of batchIds) await watch(batchId);
        });
      } catch (error) {
        log.warn({ fault: loggedFault(error) }, 'look-ups could not be started; the dispatcher starts them');
      }
    },
  };
}
