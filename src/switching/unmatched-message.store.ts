import { sql } from 'kysely';
import { type Queryable, kyselyOf, type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import type { MarketOutcome } from '../vocabulary/switch-statuses.ts';
import { DISMISSED_EFFECT, type MessageView, type UnmatchedKind, unmatchedKinds } from './market-message.schema.ts';
import type { MarketMessageTable } from './switch.entity.ts';

/** A message without effect: it does not fit the status, or its account or point does not exist. */
export interface UnmatchedMessage {
  messageId: string;
  importSupplier: string;
  externalAccountNumber: string;
  supplyPointIdentifier: string | null;
  outcome: MarketOutcome | null;
  occurredAt: Date;
  reason: string | null;
  kind: UnmatchedKind;
  detail: string;
  receivedAt: Date;
}

/** Filters of a list. */
export interface WantedMessages {
  kind?: UnmatchedKind | undefined;
  importSupplier?: string | undefined;
  externalAccountNumber?: string | undefined;
}

const NO_DETAIL = 'No account has been created under this supplier and number.';
const COLUMNS = `message_id as "messageId", import_supplier as "importSupplier", external_account_number as "externalAccountNumber", supply_point_identifier as "supplyPointIdentifier",
      outcome, occurred_at as "occurredAt", reason, effect as kind, coalesce(effect_detail, '${NO_DETAIL}') as detail, received_at as "receivedAt"`;

/**
 * Oldest first, after the message $1. Reads each kind separately by its partial index, up to the size of the page. The kinds are literals,
 * because a parameter does not match the condition of an index. Reads no other table, so that the list works while other tables are locked.
 */
const listed = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `
    with after as materialized (select coalesce((select received_at from market_message where message_id = $1), '-infinity') as at)
    select * from (${unmatchedKinds
      .map(
        (kind) => `
      (select ${COLUMNS} from market_message where effect = '${kind}' and $2 in ('', '${kind}') and ${condition}
        and (received_at, message_id) > ((select at from after), coalesce($1::text, '')) order by received_at, message_id limit $3)`,
      )
      .join(' union all ')}) w
    order by "receivedAt", "messageId" limit $3`,
});
const OF_ALL = listed('unmatched-messages', 'true');
const OF_SUPPLIER = listed('unmatched-messages-of-supplier', 'import_supplier = $4');
const OF_NUMBER = listed('unmatched-messages-of-number', 'external_account_number = $4');
const OF_ACCOUNT = listed('unmatched-messages-of-account', 'import_supplier = $4 and external_account_number = $5');

/** Lists unmatched messages, oldest first, optionally after the message `after`. */
export async function listUnmatchedMessages(
  database: Queryable,
  { kind, importSupplier, externalAccountNumber }: WantedMessages,
  limit: number,
  after?: string,
): Promise<UnmatchedMessage[]> {
  type Row = UnmatchedMessage & Record<string, unknown>;
  const page = [after ?? null, kind ?? '', limit];
  if (importSupplier === undefined) {
    return externalAccountNumber === undefined
      ? run<Row>(database, OF_ALL, page)
      : run<Row>(database, OF_NUMBER, [...page, externalAccountNumber]);
  }
  if (externalAccountNumber === undefined) return run<Row>(database, OF_SUPPLIER, [...page, importSupplier]);
  return run<Row>(database, OF_ACCOUNT, [...page, importSupplier, externalAccountNumber]);
}

function unmatched(database: Queryable) {
  return kyselyOf<MarketMessageTable>(database)
    .selectFrom('market_message')
    .select((column) => [
      'message_id as messageId',
      'import_supplier as importSupplier',
      'external_account_number as externalAccountNumber',
      'supply_point_identifier as supplyPointIdentifier',
      'outcome',
      'occurred_at as occurredAt',
      'reason',
      column.ref('effect').$castTo<UnmatchedKind>().as('kind'),
      sql<string>`coalesce(effect_detail, ${sql.lit(NO_DETAIL)})`.as('detail'),
      'received_at as receivedAt',
    ])
    .where(
      'effect',
      'in',
      unmatchedKinds.map((kind) => sql.lit(kind)),
    );
}

/** Lists unmatched messages, oldest first. @param account an external account number, or `<supplier>/<number>`; undefined for all */
export async function findUnmatchedMessages(
  database: Queryable,
  limit: number,
  account: string | undefined,
): Promise<UnmatchedMessage[]> {
  if (account === undefined) return listUnmatchedMessages(database, {}, limit);
  return unmatched(database)
    .where((is) =>
      is.or([
        is('external_account_number', '=', account),
        is(sql`import_supplier || '/' || external_account_number`, '=', account),
      ]),
    )
    .orderBy('received_at')
    .limit(limit)
    .execute();
}

/** Finds an unmatched message by id. */
export async function findUnmatchedMessage(
  database: Queryable,
  messageId: string,
): Promise<UnmatchedMessage | undefined> {
  return unmatched(database).where('message_id', '=', messageId).executeTakeFirst();
}

/** Finds a message by id, with any effect. */
export async function findMessage(database: Queryable, messageId: string): Promise<MessageView | undefined> {
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
