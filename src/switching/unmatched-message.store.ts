import { type Selectable, sql } from 'kysely';
import { type Queryable, kyselyOf } from '../platform/database/prepared-query.ts';
import { DISMISSED_EFFECT, type MessageView, type UnmatchedKind, unmatchedKinds } from './market-message.schema.ts';
import type { MarketMessageTable } from './switch.entity.ts';

/** Filters of a list. */
export interface WantedMessages {
  kind?: UnmatchedKind | undefined;
  importSupplier?: string | undefined;
  externalAccountNumber?: string | undefined;
  /** An external account number, or `<supplier>/<number>`. */
  account?: string | undefined;
}

const NO_DETAIL = 'No account has been created under this supplier and number.';

/**
 * Lists unmatched messages, oldest first, optionally after the message `after`. Reads each kind separately by its partial index, up to the
 * size of the page. Reads no other table, so that the list works while other tables are locked.
 */
export async function listUnmatchedMessages(
  on: Queryable,
  { kind, importSupplier, externalAccountNumber, account }: WantedMessages,
  limit: number,
  after?: string,
): Promise<MessageView[]> {
  const messages = kyselyOf<MarketMessageTable>(on);
  const ofKind = (one: UnmatchedKind) => {
    const all = messages
      .selectFrom('market_message')
      .selectAll()
      // A literal, because it has to match the condition of the index.
      .where('effect', '=', sql.lit(one))
      .$if(importSupplier !== undefined, (rows) => rows.where('import_supplier', '=', importSupplier!))
      .$if(externalAccountNumber !== undefined, (rows) =>
        rows.where('external_account_number', '=', externalAccountNumber!),
      )
      .$if(account !== undefined, (rows) =>
        rows.where(
          sql<boolean>`(external_account_number = ${account} or import_supplier || '/' || external_account_number = ${account})`,
        ),
      )
      .$if(after !== undefined, (rows) =>
        rows.where(({ eb, refTuple, tuple, selectFrom }) => {
          const last = selectFrom('market_message').select('received_at').where('message_id', '=', after!);
          return eb(
            refTuple('received_at', 'message_id'),
            '>',
            tuple(sql<Date>`coalesce(${last}, '-infinity')`, after!),
          );
        }),
      )
      .orderBy('received_at')
      .orderBy('message_id')
      .limit(limit);
    return messages.selectFrom(all.as('w')).selectAll();
  };
  const rows = await (kind === undefined ? unmatchedKinds : [kind])
    .map(ofKind)
    .reduce((all, one) => all.unionAll(one))
    .orderBy('received_at')
    .orderBy('message_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...viewOf(row), effect_detail: row.effect_detail ?? NO_DETAIL }));
}

/** Finds a message by id, with any effect. */
export async function findMessage(on: Queryable, messageId: string): Promise<MessageView | undefined> {
  if (messageId.includes('\0')) return undefined;
  const found = await kyselyOf<MarketMessageTable>(on)
    .selectFrom('market_message')
    .selectAll()
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return found && viewOf(found);
}

function viewOf(row: Selectable<MarketMessageTable['market_message']>): MessageView {
  return {
    message_id: row.message_id,
    import_supplier: row.import_supplier,
    external_account_number: row.external_account_number,
    supply_point_identifier: row.supply_point_identifier,
    outcome: row.outcome ?? row.status,
    occurred_at: new Date(row.occurred_at).toISOString(),
    received_at: new Date(row.received_at).toISOString(),
    reason: row.reason,
    effect: row.effect === 'dismissed' ? DISMISSED_EFFECT : row.effect,
    effect_detail: row.effect_detail,
  };
}
