import { sql } from 'kysely';
import { kyselyOf, type Askable } from '../platform/database/prepared-query.ts';
import type { MarketMessageTable } from './market-message.entity.ts';

/** A message that moves nothing: it fits no state, or its account or point is not there. */
export interface UnmatchedMessage {
  messageId: string;
  importSupplier: string;
  externalAccountNumber: string;
  kind: 'fits-nothing' | 'unknown-account' | 'unknown-point';
  detail: string;
  receivedAt: Date;
}

/** As literals: the index on these messages is found by its condition, which values sent beside the text do not show. */
const IS_UNMATCHED = sql<boolean>`effect in ('fits-nothing', 'unknown-account', 'unknown-point')`;

/** Looks at no other table: the list is asked for while those are out of reach, too. */
function unmatched(database: Askable) {
  return kyselyOf<MarketMessageTable>(database)
    .selectFrom('market_message')
    .select((column) => [
      'message_id as messageId',
      'import_supplier as importSupplier',
      'external_account_number as externalAccountNumber',
      column.ref('effect').$castTo<UnmatchedMessage['kind']>().as('kind'),
      sql<string>`coalesce(effect_detail, 'No account has been created under this supplier and number.')`.as('detail'),
      'received_at as receivedAt',
    ])
    .where(IS_UNMATCHED);
}

/** Messages that move nothing, longest first; `account` narrows them down to an external number, or `<supplier>/<number>`. */
export async function findUnmatchedMessages(
  database: Askable,
  limit: number,
  account: string | undefined,
): Promise<UnmatchedMessage[]> {
  let messages = unmatched(database);
  if (account !== undefined) {
    messages = messages.where((is) =>
      is.or([
        is('external_account_number', '=', account),
        is(sql`import_supplier || '/' || external_account_number`, '=', account),
      ]),
    );
  }
  return messages.orderBy('received_at').limit(limit).execute();
}

/** One of them, if it still moves nothing. */
export async function findUnmatchedMessage(
  database: Askable,
  messageId: string,
): Promise<UnmatchedMessage | undefined> {
  return unmatched(database).where('message_id', '=', messageId).executeTakeFirst();
}
