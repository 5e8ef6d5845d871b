import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SwitchAnswer, SwitchRequest } from '../vendors/industry-switch/industry-switch.port.ts';
import type { SupplyType } from '../vocabulary/value-sets.ts';
import { hasNotEndedSql } from './supply-point-claim.store.ts';

/** Most requests of an account in one step; its next step sends the others. */
const REQUESTS_OF_ACCOUNT = 20;

/**
 * Selects due points that the network operator has not answered in this round. Locks their supply points in the order of their keys, so
 * that of two accounts with the same point, one sees the writes of the other.
 */
const LOCK_DUE: PreparedQuery = {
  name: 'switch-lock-due-points',
  text: `
    select d.account_id as "accountId", d.position from (
      select s.account_id, s.position, s.supply_point_id, row_number() over (partition by s.account_id order by s.position) as n
      from account_supply_point s join account a on a.id = s.account_id
      where s.account_id = any($1::uuid[]) and (a.switch_not_before is null or a.switch_not_before <= clock_timestamp()) and s.switch_status = 'PENDING' and (s.held_since is null or s.released_at is not null)
        and (s.supply_start_date - $2::integer)::timestamp at time zone 'Europe/Paris' <= clock_timestamp()
        and not exists (select from switch_request r where r.account_id = s.account_id and r.point_position = s.position and r.round = s.switch_round and r.answered_at is not null)) d
      join supply_point m on m.id = d.supply_point_id
    where d.n <= ${REQUESTS_OF_ACCOUNT}
    order by m.supply_type, m.identifier collate "C" for no key update of m`,
};

/** The due points in the parameters 1 and 2. */
const DUE = 'unnest($1::uuid[], $2::integer[]) as n (account_id, position)';

/**
 * Holds points that are in force on another account, unless their switch was already requested. Creation does the same; this statement
 * finds accounts that were created concurrently, and rejected accounts whose switch is requested again. Of two due accounts the later one is
 * held.
 */
const HOLD: PreparedQuery = {
  name: 'switch-hold-points',
  text: `
    update account_supply_point s set held_since = clock_timestamp()
    from ${DUE}
    where s.account_id = n.account_id and s.position = n.position and s.held_since is null
      and not exists (select from switch_request r where r.account_id = s.account_id and r.point_position = s.position and r.round = s.switch_round)
      and (
        select true from account_supply_point o
        where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and (o.account_id <> all($1) or o.account_id < s.account_id)
          and (o.held_since is null or o.released_at is not null) and ${hasNotEndedSql} limit 1)`,
};

/** `on conflict` keeps an earlier request, so that the same id is sent again and the network operator accepts it once. */
const PREPARE: PreparedQuery = {
  name: 'switch-prepare-requests',
  text: `
    insert into switch_request (request_id, account_id, point_position, round)
    select n.request_id, s.account_id, s.position, s.switch_round
    from unnest($1::uuid[], $2::integer[], $3::uuid[]) as n (account_id, position, request_id)
      join account_supply_point s on s.account_id = n.account_id and s.position = n.position
    where s.switch_status = 'PENDING' and (s.held_since is null or s.released_at is not null)
    order by s.account_id, s.position
    on conflict (account_id, point_position, round) do nothing`,
};

const UNANSWERED: PreparedQuery = {
  name: 'switch-unanswered-requests',
  text: `
    select u."accountNumber", u."requestId", u."importSupplier", u."externalAccountNumber", u."supplyPoint", u."supplyType", u."startDate" from (
      select a.number as "accountNumber", r.request_id as "requestId", a.import_supplier as "importSupplier", a.external_account_number as "externalAccountNumber",
        m.identifier as "supplyPoint", m.supply_type as "supplyType", to_char(s.supply_start_date, 'YYYY-MM-DD') as "startDate",
        row_number() over (partition by a.id order by s.position) as n
      from account a
        join switch_request r on r.account_id = a.id and r.answered_at is null
        join account_supply_point s on s.account_id = r.account_id and s.position = r.point_position and s.switch_round = r.round and s.switch_status = 'PENDING'
        join supply_point m on m.id = s.supply_point_id
      where a.id = any($1::uuid[])) u
    where u.n <= ${REQUESTS_OF_ACCOUNT}
    order by u.n`,
};

/** A request with the account that it belongs to. */
export interface PreparedRequest extends SwitchRequest {
  accountNumber: string;
}

/** Stores the due requests of locked accounts, except of held points, before any is sent. @returns the requests without an answer */
export async function prepareRequests(
  em: EntityManager,
  accountIds: readonly string[],
  leadDays: number,
): Promise<PreparedRequest[]> {
  if (accountIds.length === 0) return [];
  const due = await run<{ accountId: string; position: number }>(em, LOCK_DUE, [accountIds, leadDays]);
  const keys = [due.map(({ accountId }) => accountId), due.map(({ position }) => position)];
  await run(em, HOLD, keys);
  await run(em, PREPARE, [...keys, due.map(() => uuidv7())]);
  return run<PreparedRequest & { supplyType: SupplyType } & Record<string, unknown>>(em, UNANSWERED, [accountIds]);
}

/** Each answer becomes an event of the switch, like a market message. */
const STORE_ANSWERS: PreparedQuery = {
  name: 'switch-store-answers',
  text: `
    with answered as (
      update switch_request r set answered_at = clock_timestamp(), answer = n.answer
      from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[]) as n (request_id, answer, occurred_at, reason)
      where r.request_id = n.request_id and r.answered_at is null
      returning r.request_id, r.account_id, r.point_position, n.answer, n.occurred_at, n.reason)
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, outcome, occurred_at, reason)
    select 'gangway:answer:' || n.request_id, 'answer', a.import_supplier, a.external_account_number, m.identifier, n.answer, n.occurred_at, n.reason
    from answered n join account a on a.id = n.account_id
      join account_supply_point s on s.account_id = n.account_id and s.position = n.point_position
      join supply_point m on m.id = s.supply_point_id
    where n.answer <> 'RECEIVED'
    on conflict (message_id) do nothing`,
};

/** An answer of the network operator to a request. */
export interface AnsweredRequest extends SwitchAnswer {
  requestId: string;
}

/** Stores answers of the network operator. A second answer to the same request changes nothing. */
export async function storeAnswers(em: EntityManager, answers: readonly AnsweredRequest[]): Promise<void> {
  if (answers.length === 0) return;
  await run(em, STORE_ANSWERS, [
    answers.map(({ requestId }) => requestId),
    answers.map(({ answer }) => answer),
    answers.map(({ answeredAt }) => answeredAt),
    answers.map(({ reason }) => reason),
  ]);
}
