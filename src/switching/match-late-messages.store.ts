import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import type { MarketMessageTable } from './market-message.entity.ts';
import { switchWorkItem } from './market-message.store.ts';

/** Messages of unknown accounts looked at in one round; of more, each has its turn after some rounds. */
const LOOKED_AT_ONCE = 10_000;

/** The next of them in the order in which they came in, and the account of each that has one by now. */
const LOOK: PreparedQuery = {
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

interface Looked extends Record<string, unknown> {
  messageId: string;
  receivedAt: string;
  importSupplier: string;
  externalAccountNumber: string;
  number: string | null;
}

/** Where a look goes on: after the last message of the one before. */
type Place = readonly [receivedAt: string, messageId: string];
const BEGINNING: Place = ['-infinity', ''];

/**
 * Makes a function that matches messages whose account has come to be. Creation looks for messages that came before it,
 * and a message looks for its account; but neither sees the other when both commit at the same moment, and an account
 * without points has no run that would read them.
 * @returns a function for the dispatcher; it resolves to the number of messages matched
 */
export function matchLateMessages(database: Database): () => Promise<number> {
  let place = BEGINNING;
  return async () => {
    const looked = await run<Looked>(database, LOOK, [...place, LOOKED_AT_ONCE]);
    const last = looked.at(-1);
    const found = looked.filter(hasAccount);
    if (found.length > 0) await database.transaction((em) => match(em, found));
    place = last === undefined || looked.length < LOOKED_AT_ONCE ? BEGINNING : [last.receivedAt, last.messageId];
    return found.length;
  };
}

/** First the work item, then the messages: the order in which a run takes them. */
async function match(em: EntityManager, found: readonly (Looked & { number: string })[]): Promise<void> {
  const works = new Map(
    found.map((one) => [one.number, switchWorkItem(one.number, one.importSupplier, one.externalAccountNumber)]),
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

function hasAccount(one: Looked): one is Looked & { number: string } {
  return one.number !== null;
}
