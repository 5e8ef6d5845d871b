import type { UnmatchedMessage } from '../switching/index.ts';
import { whatToDoAbout } from './stuck-advice.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** Ids of messages in the list of what waits; no workflow id begins so. */
const PREFIX = 'market-message/';

/** What stands for a message where the others have the id of a run. */
export const unmatchedIds = {
  of: (messageId: string): string => PREFIX + messageId,
  messageIdIn: (id: string): string | undefined => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined),
};

/** A market message that moves nothing, as something that waits for an operator. */
export function viewOfUnmatched(message: UnmatchedMessage, idOf: (id: string) => string): StuckView {
  return {
    id: idOf(unmatchedIds.of(message.messageId)),
    kind: 'market-message',
    cause: causeOfUnmatched(message),
    workflow_id: '',
    accounts: [{ import_supplier: message.importSupplier, external_account_number: message.externalAccountNumber }],
    network_operator: null,
    batch_id: null,
    job_id: null,
    reconciliation_id: null,
    endpoint_id: null,
    message_id: message.messageId,
    waiting_since: message.receivedAt.toISOString(),
    attempt: 1,
    last_failure: { type: causeOfUnmatched(message), message: message.detail },
    next_attempt_at: null,
    paused: false,
    what_to_do: whatToDoAbout(message),
  };
}

function causeOfUnmatched({ kind }: UnmatchedMessage): string {
  return `market_message_${kind.replace('-', '_')}`;
}
