import { raw, type EntityManager } from '@mikro-orm/postgresql';
import { sql, type Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AccountTable } from '../accounts/index.ts';
import { kyselyOf, type PreparedQuery, run, type Queryable } from '../platform/database/prepared-query.ts';
import { signalWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import {
  type Assignment,
  type MarketMessageSent,
  type MessageResult,
  type SwitchStatusSent,
  unmatchedKinds,
  DISMISSED_EFFECT,
  type MessageView,
  type UnmatchedKind,
} from './market-message.schema.ts';
import { MarketMessage, type MarketMessageTable } from './switch.entity.ts';
import type { SwitchedAccount } from './switch-account.store.ts';
import { switchWorkItem } from './switch-step.store.ts';
import type { Database } from '../platform/database/database.ts';

/** The sent messages, up to 1,000, in their order. */
const SENT =
  'unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[]) with ordinality as m (id, supplier, external, point, outcome, occurred_at, reason, n)';

/** Ordered by id, so that concurrent senders of the same messages cannot deadlock. */
const STORE: PreparedQuery = {
  name: 'market-message-store',
  text: `
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, outcome, occurred_at, reason, effect)
    select m.id, 'message', m.supplier, m.external, m.point, m.outcome, m.occurred_at, m.reason, case when a.id is null then 'unknown-account' else 'waiting' end
    from ${SENT}
      left join account a on a.import_supplier = m.supplier and a.external_account_number = m.external
    order by m.id
    on conflict (message_id) do nothing
    returning message_id`,
};

/** Compares each sent message with the stored one of the same id, and finds its account. */
const COMPARE: PreparedQuery = {
  name: 'market-message-compare',
  text: `
    select (w.import_supplier, w.external_account_number, w.supply_point_identifier, w.outcome, w.occurred_at, w.reason)
        is not distinct from (m.supplier, m.external, m.point, m.outcome, m.occurred_at, m.reason) as same, a.number
    from ${SENT}
      join market_message w on w.message_id = m.id
      left join account a on a.import_supplier = w.import_supplier and a.external_account_number = w.external_account_number
    order by m.n`,
};

/** The result of a request with messages. */
interface StoredMessages {
  results: MessageResult[];
  /** Work items of accounts with new messages. */
  signalled: WorkItem[];
}

/**
 * Stores each message once under its id, and signals the work items of their accounts.
 * @param messages validated; several may have the same id
 */
export async function storeMessages(
  em: EntityManager,
  messages: readonly MarketMessageSent[],
): Promise<StoredMessages> {
  const columns = [
    messages.map((message) => message.message_id),
    messages.map((message) => message.import_supplier),
    messages.map((message) => message.external_account_number),
    messages.map((message) => message.supply_point_identifier || null),
    messages.map((message) => message.outcome),
    messages.map((message) => message.occurred_at),
    messages.map((message) => message.reason || null),
  ];
  const stored = new Set((await run<{ message_id: string }>(em, STORE, columns)).map((row) => row.message_id));
  const compared = await run<{ same: boolean; number: string | null }>(em, COMPARE, columns);
  const signalled = new Map<string, WorkItem>();
  const results = messages.map((message, index): MessageResult => {
    const { same, number } = compared[index]!;
    // If several messages have one id, the first that equals the stored one counts as stored.
    const isNew = same && stored.delete(message.message_id);
    if (isNew && number !== null) {
      signalled.set(number, switchWorkItem(number, message.import_supplier, message.external_account_number));
    }
    return {
      message_id: message.message_id,
      status: isNew ? 'MESSAGE_STORED' : same ? 'MESSAGE_ALREADY_KNOWN' : 'MESSAGE_DIFFERS',
    };
  });
  return { results, signalled: await signalWork(em, [...signalled.values()]) };
}

/** Stores a status set by an operator as the newest event. Dismisses the unmatched messages of the account. */
export async function storeStatusByOperator(
  em: EntityManager,
  account: SwitchedAccount,
  { status, reason, supply_point_identifier: point }: SwitchStatusSent,
): Promise<void> {
  const { importSupplier, externalAccountNumber } = account;
  const unmatched = { importSupplier, externalAccountNumber, effect: { $in: ['fits-nothing', 'unknown-point'] } };
  await em.nativeUpdate(MarketMessage, unmatched, { effect: 'dismissed', effectAt: raw('now()') });
  await storeByOperator(em, account, [point || null], { status, reason });
}

/** Stores a status of each given point, or of the whole account (null), as the newest event. Unmatched messages are kept. */
export async function storeByOperator(
  em: EntityManager,
  { importSupplier, externalAccountNumber }: SwitchedAccount,
  points: readonly (string | null)[],
  { status, reason }: Pick<SwitchStatusSent, 'status' | 'reason'>,
): Promise<void> {
  const messages = kyselyOf<MarketMessageTable>(em);
  const newest = messages
    .selectFrom('market_message')
    .select(({ fn }) => fn.max('occurred_at').as('occurred_at'))
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', externalAccountNumber)
    .where('effect', '<>', 'dismissed');
  const rows = points.map((point) => ({
    message_id: `gangway:hand:${uuidv7()}`,
    source: 'hand',
    import_supplier: importSupplier,
    external_account_number: externalAccountNumber,
    supply_point_identifier: point,
    status,
    reason,
    occurred_at: sql<Date>`greatest(now(), ${newest})`,
  }));
  await messages.insertInto('market_message').values(rows).execute();
}

/** Dismisses an unmatched message. @returns false if it does not exist or was matched */
export async function dismissMessage(em: EntityManager, messageId: string): Promise<boolean> {
  const unmatched = { messageId, effect: { $in: [...unmatchedKinds] } };
  return (await em.nativeUpdate(MarketMessage, unmatched, { effect: 'dismissed', effectAt: raw('now()') })) > 0;
}

/**
 * Assigns an unmatched message to an account: stores a copy for that account and dismisses the original, which stays unchanged and is
 * recognized if it is sent again.
 * @returns the id of the copy; undefined if there is no such unmatched message
 */
export async function assignMessage(
  em: EntityManager,
  messageId: string,
  { import_supplier: supplier, external_account_number: external, supply_point_identifier: point }: Assignment,
): Promise<string | undefined> {
  const copyId = `gangway:assigned:${uuidv7()}`;
  const detail = `Assigned to ${supplier}/${external} as ${copyId}.`;
  const messages = kyselyOf<MarketMessageTable>(em);
  const original = await messages
    .updateTable('market_message')
    .set({ effect: 'dismissed', effect_at: sql<Date>`now()`, effect_detail: detail })
    .where('message_id', '=', messageId)
    .where('effect', 'in', unmatchedKinds)
    // The time as text, because a Date has no microseconds.
    .returning(['source', 'outcome', 'status', 'reason', sql<Date>`occurred_at::text`.as('occurred_at')])
    .executeTakeFirst();
  if (original === undefined) return undefined;
  const copy = { message_id: copyId, import_supplier: supplier, external_account_number: external };
  await messages
    .insertInto('market_message')
    .values({ ...original, ...copy, supply_point_identifier: point || null })
    .execute();
  return copyId;
}

/** Messages of unknown accounts per round; the next rounds process the others. */
const MESSAGES_PER_ROUND = 10_000;

/** The last message of the previous round. */
type Cursor = readonly [receivedAt: string, messageId: string];
const BEGINNING: Cursor = ['-infinity', ''];

/**
 * Creates the step that matches messages of unknown accounts whose account exists now. The creation of an account and the receipt of a
 * message each look for the other, but miss each other if both commit concurrently; and an account without points has no work item.
 * @returns a function for the dispatcher, which resolves to the number of matched messages
 */
export function matchLateMessages(database: Database): () => Promise<number> {
  let cursor = BEGINNING;
  return async () => {
    const checked = await messagesAfter(database, cursor);
    const last = checked.at(-1);
    const found = checked.flatMap(({ number, ...message }) => (number === null ? [] : [{ ...message, number }]));
    if (found.length > 0) await database.transaction((em) => match(em, found));
    cursor = last === undefined || checked.length < MESSAGES_PER_ROUND ? BEGINNING : [last.receivedAt, last.messageId];
    return found.length;
  };
}

/** The next messages of unknown accounts in the order of arrival, with their account if it exists now. */
async function messagesAfter(database: Database, [receivedAt, messageId]: Cursor) {
  return kyselyOf<MarketMessageTable & AccountTable>(database)
    .selectFrom('market_message as w')
    .leftJoin('account as a', (join) =>
      join
        .onRef('a.import_supplier', '=', 'w.import_supplier')
        .onRef('a.external_account_number', '=', 'w.external_account_number'),
    )
    .select([
      'w.message_id as messageId',
      sql<string>`w.received_at::text`.as('receivedAt'),
      'w.import_supplier as importSupplier',
      'w.external_account_number as externalAccountNumber',
      'a.number',
    ])
    .where('w.effect', '=', sql.lit('unknown-account'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('w.received_at', 'w.message_id'), '>', tuple(sql<Date>`${receivedAt}::timestamptz`, messageId)),
    )
    .orderBy('w.received_at')
    .orderBy('w.message_id')
    .limit(MESSAGES_PER_ROUND)
    .execute();
}

/** Locks work items before messages, in the order in which runs lock. */
async function match(
  em: EntityManager,
  found: readonly { messageId: string; importSupplier: string; externalAccountNumber: string; number: string }[],
): Promise<void> {
  const works = new Map(
    found.map(({ number, importSupplier, externalAccountNumber }) => [
      number,
      switchWorkItem(number, importSupplier, externalAccountNumber),
    ]),
  );
  await signalWork(em, [...works.values()], 0);
  const unknown = { messageId: { $in: found.map(({ messageId }) => messageId) }, effect: 'unknown-account' };
  await em.nativeUpdate(MarketMessage, unknown, { effect: 'waiting' });
}

/** Filters of a list. */
interface WantedMessages {
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
