import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import type { MarketMessageTable } from './market-message.entity.ts';
import { switchWorkItem } from './market-message.store.ts';

/** Messages of unknown accounts per round; further rounds process the others. */
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
 * Returns a function that matches messages whose account exists now. Creation and the receipt of messages look for each other, but
 * neither sees the other if both commit concurrently, and an account without points has no run that reads messages.
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

/** Locks work items first, then messages, like runs do. */
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
