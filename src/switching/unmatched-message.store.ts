import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** A message that moves nothing: it fits no state, or its account or point is not there. */
export interface UnmatchedMessage {
  messageId: string;
  importSupplier: string;
  externalAccountNumber: string;
  kind: 'fits-nothing' | 'unknown-account' | 'unknown-point';
  detail: string;
  receivedAt: Date;
}

const COLUMNS = `w.message_id as "messageId", w.import_supplier as "importSupplier", w.external_account_number as "externalAccountNumber", w.effect as kind,
  coalesce(w.effect_detail, 'No account has been created under this supplier and number.') as detail, w.received_at as "receivedAt"`;
const IS_UNMATCHED = "w.effect in ('fits-nothing', 'unknown-account', 'unknown-point')";

/** Looks at no other table: the list is asked for while those are out of reach, too. */
const UNMATCHED: PreparedQuery = {
  name: 'market-message-unmatched',
  text: `
    select ${COLUMNS} from market_message w
    where ${IS_UNMATCHED} and ($2::text is null or $2 in (w.external_account_number, w.import_supplier || '/' || w.external_account_number))
    order by w.received_at limit $1`,
};

const ONE: PreparedQuery = {
  name: 'market-message-unmatched-one',
  text: `select ${COLUMNS} from market_message w where ${IS_UNMATCHED} and w.message_id = $1`,
};

type Row = UnmatchedMessage & Record<string, unknown>;

/** Messages that move nothing, longest first; `account` narrows them down to an external number, or `<supplier>/<number>`. */
export async function findUnmatchedMessages(
  database: Queryable,
  limit: number,
  account: string | undefined,
): Promise<UnmatchedMessage[]> {
  return run<Row>(database, UNMATCHED, [limit, account ?? null]);
}

/** One of them, if it still moves nothing. */
export async function findUnmatchedMessage(
  database: Queryable,
  messageId: string,
): Promise<UnmatchedMessage | undefined> {
  const [row] = await run<Row>(database, ONE, [messageId]);
  return row;
}
