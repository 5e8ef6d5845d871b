import type { DeferredLookups } from '../supply-points/index.ts';
import { workflowIds } from '../../temporal.config.ts';
import { networkOperatorTitles } from '../vocabulary/network-operators.ts';
import { ASK_LATER } from './stuck-advice.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** Identifiers that one network operator keeps failing on, as one thing that waits; it stands under the id of the network operator's run. */
export function viewOfDeferred(deferred: DeferredLookups, idOf: (id: string) => string): StuckView {
  const workflowId = workflowIds.lookUpSupplyPoints(deferred.networkOperator);
  const which =
    deferred.count === 1 ? deferred.identifier : `${deferred.count} identifiers, ${deferred.identifier} one of them`;
  return {
    id: idOf(workflowId),
    kind: 'look-up-supply-points',
    cause: 'look_ups_set_aside',
    workflow_id: workflowId,
    message_id: null,
    accounts: [],
    network_operator: deferred.networkOperator,
    batch_id: null,
    job_id: null,
    reconciliation_id: null,
    endpoint_id: null,
    waiting_since: deferred.since.toISOString(),
    attempt: deferred.tries,
    last_failure: {
      type: 'look_ups_set_aside',
      message: `${networkOperatorTitles[deferred.networkOperator]} answers others, and keeps failing on ${which}.`,
    },
    next_attempt_at: deferred.nextAttemptAt.toISOString(),
    paused: false,
    what_to_do: ASK_LATER,
  };
}
