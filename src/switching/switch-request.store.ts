import { v7 as uuidv7 } from 'uuid';
import type { Queryable, Statement } from '../platform/database/database.ts';
import type { SwitchAnswer, SwitchRequest } from '../vendors/industry-switch/industry-switch.port.ts';
import type { SupplyType } from '../vocabulary/value-sets.ts';

/** Requests of one attempt; the rest of a large account comes with the next step of its run. */
const REQUESTS_AT_ONCE = 20;

/**
 * Points that are due and whose operator has not answered in this round. `on conflict` finds the request that a run
 * before us wrote: the same id goes out again, so the operator takes it once.
 */
const PREPARE: Statement = {
  name: 'switch-prepare-requests',
  text: `
    with due as (
      select a.id as account_id, s.position, s.switch_round as round
      from account a
        join import_supplier i on i.code = a.import_supplier
        join account_supply_point s on s.account_id = a.id
      where a.number = $1 and i.options -> 'industry_switch' is distinct from 'false'::jsonb and s.switch_status = 'PENDING'
        and (s.supply_start_date - $2::integer)::timestamp at time zone 'Europe/Paris' <= clock_timestamp()
        and not exists (select from switch_request r where r.account_id = a.id and r.point_position = s.position and r.round = s.switch_round and r.answered_at is not null)
      order by s.position limit ${REQUESTS_AT_ONCE})
    insert into switch_request (request_id, account_id, point_position, round)
    select ($3::uuid[])[row_number() over (order by position)], account_id, position, round from due
    on conflict (account_id, point_position, round) do nothing`,
};

const UNANSWERED: Statement = {
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

const ANSWERED: Statement = {
  name: 'switch-request-answered',
  text: 'update switch_request set answered_at = clock_timestamp(), answer = $2 where request_id = $1 and answered_at is null returning account_id, point_position',
};

/** An answer is something said of the switch like a market message, and moves it the same way. */
const SAY: Statement = {
  name: 'switch-request-said',
  text: `
    insert into market_message (message_id, source, import_supplier, external_account_number, supply_point_identifier, outcome, occurred_at, reason)
    select 'gangway:answer:' || $1::text, 'answer', a.import_supplier, a.external_account_number, m.identifier, $4, $5, $6
    from account a join account_supply_point s on s.account_id = a.id and s.position = $3 join supply_point m on m.id = s.supply_point_id
    where a.id = $2
    on conflict (message_id) do nothing`,
};

/** Writes down the requests that are due, then gives those that nobody has answered. Written before anything is sent. */
export async function prepareRequests(database: Queryable, accountNumber: string, leadDays: number): Promise<SwitchRequest[]> {
  await database.run(PREPARE, [accountNumber, leadDays, Array.from({ length: REQUESTS_AT_ONCE }, () => uuidv7())]);
  return database.run<SwitchRequest & { supplyType: SupplyType } & Record<string, unknown>>(UNANSWERED, [accountNumber]);
}

/** Stores what the operator answered. A second answer to the same request, from a run that was cut off, changes nothing. */
export async function storeAnswer(tx: Queryable, requestId: string, { answer, answeredAt, reason }: SwitchAnswer): Promise<void> {
  const [request] = await tx.run<{ account_id: string; point_position: number }>(ANSWERED, [requestId, answer]);
  if (request === undefined || answer === 'RECEIVED') return;
  await tx.run(SAY, [requestId, request.account_id, request.point_position, answer, answeredAt, reason]);
}
