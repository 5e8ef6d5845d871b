import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AccountSupplyPointTable, AccountTable } from '../accounts/index.ts';
import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SupplyPointTable } from '../supply-points/index.ts';
import type { SwitchAnswer, SwitchRequest } from '../vendors/industry-switch/industry-switch.port.ts';
import type { SupplyType } from '../vocabulary/value-sets.ts';
import type { MarketMessageTable, SwitchRequestTable } from './switch.entity.ts';
import { hasNotEndedSql } from './supply-point-claim.store.ts';

/** Most requests per attempt; the next step of the run sends the others of a large account. */
const REQUESTS_AT_ONCE = 20;

/**
 * Selects due points that the network operator has not answered in this round. Locks their supply points in the order of their keys, so
 * that of two accounts with the same point, one sees the writes of the other.
 */
const LOCK_DUE: PreparedQuery = {
  name: 'switch-lock-due-points',
  text: `
    select d.position from (
      select s.position, s.supply_point_id
      from account a
        join import_supplier i on i.code = a.import_supplier
        join account_supply_point s on s.account_id = a.id
      where a.number = $1 and i.options -> 'industry_switch' is distinct from 'false'::jsonb and s.switch_status = 'PENDING' and (s.held_since is null or s.released_at is not null)
        and (s.supply_start_date - $2::integer)::timestamp at time zone 'Europe/Paris' <= clock_timestamp()
        and not exists (select from switch_request r where r.account_id = a.id and r.point_position = s.position and r.round = s.switch_round and r.answered_at is not null)
      order by s.position limit ${REQUESTS_AT_ONCE}) d
      join supply_point m on m.id = d.supply_point_id
    order by m.supply_type, m.identifier collate "C" for no key update of m`,
};

/**
 * Holds points that are in force on another account, unless their switch was already requested. Creation does the same; this statement
 * finds accounts that were created concurrently, and rejected accounts whose switch is requested again.
 */
const HOLD: PreparedQuery = {
  name: 'switch-hold-points',
  text: `
    update account_supply_point s set held_since = clock_timestamp()
    from account a
    where a.number = $1 and s.account_id = a.id and s.position = any($2::integer[]) and s.held_since is null
      and not exists (select from switch_request r where r.account_id = s.account_id and r.point_position = s.position and r.round = s.switch_round)
      and (
        select true from account_supply_point o
        where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and (o.held_since is null or o.released_at is not null) and ${hasNotEndedSql} limit 1)`,
};

/** `on conflict` keeps the request of an earlier run, so that the same id is sent again and the network operator accepts it once. */
const PREPARE: PreparedQuery = {
  name: 'switch-prepare-requests',
  text: `
    with due as (
      select a.id as account_id, s.position, s.switch_round as round
      from account a join account_supply_point s on s.account_id = a.id
      where a.number = $1 and s.position = any($2::integer[]) and s.switch_status = 'PENDING' and (s.held_since is null or s.released_at is not null))
    insert into switch_request (request_id, account_id, point_position, round)
    select ($3::uuid[])[row_number() over (order by position)], account_id, position, round from due
    on conflict (account_id, point_position, round) do nothing`,
};

const UNANSWERED: PreparedQuery = {
  name: 'switch-unanswered-requests',
  text: `
    select r.request_id as "requestId", a.import_supplier as "importSupplier", a.external_account_number as "externalAccountNumber",
      m.identifier as "supplyPoint", m.supply_type as "supplyType", to_char(s.supply_start_date, 'YYYY-MM-DD') as "startDate"
    from account a
      join switch_request r on r.account_id = a.id and r.answered_at is null
      join account_supply_point s on s.account_id = r.account_id and s.position = r.point_position and s.switch_round = r.round and s.switch_status = 'PENDING'
      join supply_point m on m.id = s.supply_point_id
    where a.number = $1 order by s.position limit ${REQUESTS_AT_ONCE}`,
};

/** Stores the due requests, except of held points, before any is sent. @returns the requests without an answer */
export async function prepareRequests(
  database: Database,
  accountNumber: string,
  leadDays: number,
): Promise<SwitchRequest[]> {
  await database.transaction(async (em) => {
    const positions = (await run<{ position: number }>(em, LOCK_DUE, [accountNumber, leadDays])).map(
      ({ position }) => position,
    );
    await run(em, HOLD, [accountNumber, positions]);
    await run(em, PREPARE, [accountNumber, positions, Array.from({ length: REQUESTS_AT_ONCE }, () => uuidv7())]);
  });
  return run<SwitchRequest & { supplyType: SupplyType } & Record<string, unknown>>(database, UNANSWERED, [
    accountNumber,
  ]);
}

/** Stores an answer of the network operator. A second answer to the same request changes nothing. */
export async function storeAnswer(
  em: EntityManager,
  requestId: string,
  { answer, answeredAt, reason }: SwitchAnswer,
): Promise<void> {
  const tables = em.getKysely<
    SwitchRequestTable & AccountSupplyPointTable & AccountTable & SupplyPointTable & MarketMessageTable
  >();
  const point = await tables
    .updateTable('switch_request as r')
    .from('account as a')
    .innerJoin('account_supply_point as s', 's.account_id', 'a.id')
    .innerJoin('supply_point as m', 'm.id', 's.supply_point_id')
    .set({ answered_at: sql<Date>`clock_timestamp()`, answer })
    .where('r.request_id', '=', requestId)
    .where('r.answered_at', 'is', null)
    .whereRef('a.id', '=', 'r.account_id')
    .whereRef('s.position', '=', 'r.point_position')
    .returning(['a.import_supplier', 'a.external_account_number', 'm.identifier as supply_point_identifier'])
    .executeTakeFirst();
  if (point === undefined || answer === 'RECEIVED') return;
  // The answer becomes an event of the switch, like a market message.
  const message = { message_id: `gangway:answer:${requestId}`, source: 'answer', outcome: answer, reason };
  await tables
    .insertInto('market_message')
    .values({ ...point, ...message, occurred_at: answeredAt })
    .onConflict((conflict) => conflict.column('message_id').doNothing())
    .execute();
}
