import { kyselyOf, type Askable } from '../platform/database/prepared-query.ts';
import { DISMISSED_EFFECT, type MessageView } from './market-message.schema.ts';
import type { MarketMessageTable } from './market-message.entity.ts';
import type { UnmatchedMessage } from './unmatched-message.store.ts';

/** Finds a message by id, with any effect. */
export async function findMessage(database: Askable, messageId: string): Promise<MessageView | undefined> {
  if (messageId.includes('\0')) return undefined;
  const found = await kyselyOf<MarketMessageTable>(database)
    .selectFrom('market_message')
    .selectAll()
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  return {
    message_id: found.message_id,
    import_supplier: found.import_supplier,
    external_account_number: found.external_account_number,
    supply_point_identifier: found.supply_point_identifier,
    outcome: found.outcome ?? found.status,
    occurred_at: new Date(found.occurred_at).toISOString(),
    received_at: new Date(found.received_at).toISOString(),
    reason: found.reason,
    effect: found.effect === 'dismissed' ? DISMISSED_EFFECT : found.effect,
    effect_detail: found.effect_detail,
  };
}

export function viewOfUnmatchedMessage(message: UnmatchedMessage): MessageView {
  return {
    message_id: message.messageId,
    import_supplier: message.importSupplier,
    external_account_number: message.externalAccountNumber,
    supply_point_identifier: message.supplyPointIdentifier,
    outcome: message.outcome,
    occurred_at: message.occurredAt.toISOString(),
    received_at: message.receivedAt.toISOString(),
    reason: message.reason,
    effect: message.kind,
    effect_detail: message.detail,
  };
}
