import type { HeldPoints, MessageView } from '../switching/index.ts';
import { DECIDE_CLAIM, ASK_LATER, whatToDoAbout } from './stuck-advice.rules.ts';
import type { DeferredLookups } from '../supply-points/index.ts';
import { workflowIds } from '../../temporal.config.ts';
import { networkOperatorTitles } from '../vocabulary/network-operators.ts';
import { stuckIds } from './stuck-id.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** An item that is not paused and has no subject besides its account. */
const NO_SUBJECT = {
  network_operator: null,
  batch_id: null,
  job_id: null,
  reconciliation_id: null,
  withdrawal_id: null,
  endpoint_id: null,
  message_id: null,
  paused: false,
} as const;

/** Prefix of the ids of messages in the list; no workflow id starts with it. */
const MESSAGE = 'market-message/';

/** The id of a message in the list. */
export const unmatchedIds = {
  of: (messageId: string): string => MESSAGE + messageId,
  messageIdIn: (id: string): string | undefined => (id.startsWith(MESSAGE) ? id.slice(MESSAGE.length) : undefined),
};

/** An unmatched market message as an item of the list. */
export function viewOfUnmatched(message: MessageView): StuckView {
  return {
    ...NO_SUBJECT,
    id: stuckIds.of(unmatchedIds.of(message.message_id)),
    kind: 'market-message',
    cause: causeOfUnmatched(message),
    workflow_id: '',
    accounts: [{ import_supplier: message.import_supplier, external_account_number: message.external_account_number }],
    message_id: message.message_id,
    waiting_since: message.received_at,
    attempt: 1,
    last_failure: { type: causeOfUnmatched(message), message: message.effect_detail ?? '' },
    next_attempt_at: null,
    what_to_do: whatToDoAbout(message),
  };
}

function causeOfUnmatched({ effect }: MessageView): string {
  return `market_message_${effect.replace('-', '_')}`;
}

/** The deferred identifiers of one network operator as one item, with the id of the run of the network operator. */
export function viewOfDeferred(deferred: DeferredLookups): StuckView {
  const workflowId = workflowIds.lookUpSupplyPoints(deferred.networkOperator);
  const which =
    deferred.count === 1 ? deferred.identifier : `${deferred.count} identifiers, ${deferred.identifier} one of them`;
  return {
    ...NO_SUBJECT,
    id: stuckIds.of(workflowId),
    kind: 'look-up-supply-points',
    cause: 'look_ups_set_aside',
    workflow_id: workflowId,
    accounts: [],
    network_operator: deferred.networkOperator,
    waiting_since: deferred.since.toISOString(),
    attempt: deferred.tries,
    last_failure: {
      type: 'look_ups_set_aside',
      message: `${networkOperatorTitles[deferred.networkOperator]} answers others, and keeps failing on ${which}.`,
    },
    next_attempt_at: deferred.nextAttemptAt.toISOString(),
    what_to_do: ASK_LATER,
  };
}

/** Prefix of the ids of claims in the list; no workflow id starts with it. */
const CLAIM = 'supply-point-claim/';
const CAUSE = 'supply_point_on_another_account';

/** The id of a claim in the list. */
export const claimIds = {
  of: (accountNumber: string): string => CLAIM + accountNumber,
  accountNumberIn: (id: string): string | undefined => (id.startsWith(CLAIM) ? id.slice(CLAIM.length) : undefined),
};

/** A claim as an item of the list. */
export function viewOfHeld(held: HeldPoints): StuckView {
  const which =
    held.count === 1
      ? `Supply point ${held.identifier} is`
      : `${held.count} supply points, including ${held.identifier}, are`;
  return {
    ...NO_SUBJECT,
    id: stuckIds.of(claimIds.of(held.accountNumber)),
    kind: 'switch-supplier',
    cause: CAUSE,
    workflow_id: workflowIds.switchSupplier(held.accountNumber),
    accounts: [{ import_supplier: held.importSupplier, external_account_number: held.externalAccountNumber }],
    waiting_since: held.since.toISOString(),
    attempt: 0,
    last_failure: { type: CAUSE, message: `${which} on another account, so the switch is not requested.` },
    next_attempt_at: null,
    what_to_do: DECIDE_CLAIM,
  };
}
