import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import { signalWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import type { Assignment, MarketMessageSent, MessageResult, SwitchStatusSent } from './market-message.schema.ts';
import type { MarketMessageTable } from './switch.entity.ts';
import type { SwitchedAccount } from './switch-account.store.ts';
import type { Database } from '../platform/database/database.ts';

/** Ordered by id, so that concurrent senders of the same messages cannot deadlock. */
const STORE: PreparedQuery = {
  name: 'market-message-store',
  text: `
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, outcome, occurred_at, reason, effect)
    select m.id, 'message', m.supplier, m.external, m.point, m.outcome, m.occurred_at, m.reason, case when a.id is null then 'unknown-account' else 'waiting' end
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[]) as m (id, supplier, external, point, outcome, occurred_at, reason)
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
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[]) with ordinality as m (id, supplier, external, point, outcome, occurred_at, reason, n)
      join market_message w on w.message_id = m.id
      left join account a on a.import_supplier = w.import_supplier and a.external_account_number = w.external_account_number
    order by m.n`,
};

const SET_BY_OPERATOR: PreparedQuery = {
  name: 'market-message-by-hand',
  text: `
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, status, reason, occurred_at)
    select $1, 'hand', $2, $3, $4, $5, $6,
      greatest(now(), (select max(occurred_at) from market_message where import_supplier = $2 and external_account_number = $3 and effect <> 'dismissed'))`,
};

/** The result of a request with messages. */
export interface StoredMessages {
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
  await signalWork(em, [...signalled.values()]);
  return { results, signalled: [...signalled.values()] };
}

/** The work item of the switch of an account. */
export function switchWorkItem(accountNumber: string, importSupplier: string, externalAccountNumber: string): WorkItem {
  return {
    workflowId: workflowIds.switchSupplier(accountNumber),
    kind: 'switch-supplier',
    input: { accountNumber, importSupplier, externalAccountNumber },
  };
}

/** Stores a status set by an operator as the newest event. Dismisses the unmatched messages of the account. */
export async function storeStatusByOperator(
  em: EntityManager,
  account: Pick<SwitchedAccount, 'importSupplier' | 'externalAccountNumber'>,
  sent: SwitchStatusSent,
): Promise<void> {
  const { importSupplier, externalAccountNumber } = account;
  await dismissed(em)
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', externalAccountNumber)
    .where('effect', 'in', ['fits-nothing', 'unknown-point'])
    .execute();
  await run(em, SET_BY_OPERATOR, [
    `gangway:hand:${uuidv7()}`,
    importSupplier,
    externalAccountNumber,
    sent.supply_point_identifier || null,
    sent.status,
    sent.reason,
  ]);
}

/** Leaves a point to another account: stores its rejection as the newest event. Unmatched messages are kept. */
export async function rejectByOperator(
  em: EntityManager,
  account: Pick<SwitchedAccount, 'importSupplier' | 'externalAccountNumber'>,
  identifier: string,
  reason: string,
): Promise<void> {
  await run(em, SET_BY_OPERATOR, [
    `gangway:hand:${uuidv7()}`,
    account.importSupplier,
    account.externalAccountNumber,
    identifier,
    'REJECTED',
    reason,
  ]);
}

/** Dismisses an unmatched message. @returns false if it does not exist or was matched */
export async function dismissMessage(em: EntityManager, messageId: string): Promise<boolean> {
  const changed = await dismissed(em)
    .where('message_id', '=', messageId)
    .where('effect', 'in', ['fits-nothing', 'unknown-point', 'unknown-account'])
    .returning('message_id')
    .execute();
  return changed.length > 0;
}

const ASSIGN: PreparedQuery = {
  name: 'market-message-assign',
  text: `
    with original as (
      update market_message set effect = 'dismissed', effect_at = now(), effect_detail = $6 where message_id = $1 and effect in ('fits-nothing', 'unknown-point', 'unknown-account') returning *
    )
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, outcome, status, occurred_at, reason, effect)
    select $2, source, $3, $4, $5, outcome, status, occurred_at, reason, 'waiting' from original returning message_id`,
};

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
  const copied = await run(em, ASSIGN, [messageId, copyId, supplier, external, point || null, detail]);
  return copied.length > 0 ? copyId : undefined;
}

/** The effect of a message so far. */
export async function findEffect(
  em: EntityManager,
  messageId: string,
): Promise<{ effect: string; detail: string | null } | undefined> {
  return em
    .getKysely<MarketMessageTable>()
    .selectFrom('market_message')
    .select(['effect', 'effect_detail as detail'])
    .where('message_id', '=', messageId)
    .executeTakeFirst();
}

/** An update that dismisses messages; the caller adds the condition. */
function dismissed(em: EntityManager) {
  return em
    .getKysely<MarketMessageTable>()
    .updateTable('market_message')
    .set({ effect: 'dismissed', effect_at: sql<Date>`now()` });
}

/** Messages of unknown accounts per round; the next rounds process the others. */
const MESSAGES_PER_ROUND = 10_000;

/** The next messages of unknown accounts in the order of arrival, with their account if it exists now. */
const FIND: PreparedQuery = {
  name: 'market-message-look-for-accounts',
  text: `
    select w.message_id as "messageId", w.received_at::text as "receivedAt", w.import_supplier as "importSupplier", w.external_account_number as "externalAccountNumber", a.number
    from (
      select message_id, received_at, import_supplier, external_account_number from market_message
      where effect = 'unknown-account' and (received_at, message_id) > ($1::timestamptz, $2)
      order by received_at, message_id limit $3) w
      left join account a on a.import_supplier = w.import_supplier and a.external_account_number = w.external_account_number
    order by w.received_at, w.message_id`,
};

interface CheckedMessage extends Record<string, unknown> {
  messageId: string;
  receivedAt: string;
  importSupplier: string;
  externalAccountNumber: string;
  number: string | null;
}

/** The last message of the previous round. */
type Cursor = readonly [receivedAt: string, messageId: string];
const BEGINNING: Cursor = ['-infinity', ''];

/**
 * Creates the step that matches messages of unknown accounts whose account exists now. The creation of an account and the receipt of a
 * message each look for the other, but miss each other if both commit concurrently; and an account without points has no run that reads
 * messages.
 * @returns a function for the dispatcher, which resolves to the number of matched messages
 */
export function matchLateMessages(database: Database): () => Promise<number> {
  let cursor = BEGINNING;
  return async () => {
    const checked = await run<CheckedMessage>(database, FIND, [...cursor, MESSAGES_PER_ROUND]);
    const last = checked.at(-1);
    const found = checked.filter(hasAccount);
    if (found.length > 0) await database.transaction((em) => match(em, found));
    cursor = last === undefined || checked.length < MESSAGES_PER_ROUND ? BEGINNING : [last.receivedAt, last.messageId];
    return found.length;
  };
}

/** Locks work items before messages, in the order in which runs lock. */
async function match(em: EntityManager, found: readonly (CheckedMessage & { number: string })[]): Promise<void> {
  const works = new Map(
    found.map(({ number, importSupplier, externalAccountNumber }) => [
      number,
      switchWorkItem(number, importSupplier, externalAccountNumber),
    ]),
  );
  await signalWork(em, [...works.values()], 0);
  await em
    .getKysely<MarketMessageTable>()
    .updateTable('market_message')
    .set({ effect: 'waiting' })
    .where('message_id', '=', sql<string>`any(${found.map(({ messageId }) => messageId)}::text[])`)
    .where('effect', '=', 'unknown-account')
    .execute();
}

function hasAccount(message: CheckedMessage): message is CheckedMessage & { number: string } {
  return message.number !== null;
}
