import { sql } from 'kysely';
import { HOLD_SWITCHES_HOURS } from '../account-import/index.ts';
import { keysetPages } from '../foundation/keyset-pages.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';

/** SQL: a wave, with the day on which its first switches can be requested: after the beginning of its creation and the hold. */
export const planOf = (waveId: string) => sql`(
  select plan_revision, (
      (greatest(now(), create_from) + make_interval(hours => coalesce((options ->> 'hold_switches_hours')::integer, ${HOLD_SWITCHES_HOURS})))
      at time zone 'Europe/Paris')::date as requests_from
  from wave where id = ${waveId})`;

/** SQL: whether the member `m` with its account `p` and its exclusion `e` is to be created by the wave `w` too late for its first switch. */
export const isEarly = sql`(p.imported_at is null and e.record is null and p.skipped_at is null and p.refusal is null and p.workflow_id is null
  and m.rehearsed_revision = p.revision and m.switch_request_on < w.requests_from)`;

/** A member whose supply starts before its switch can be requested in time. */
export interface EarlyStart {
  external: string;
  supplyStart: string;
  /** The day on which the switch would have to be requested. */
  requestOn: string;
}

/** Lists members of a wave whose supply starts too early for its plan, by external number. */
export async function findEarlyStarts(
  on: Queryable,
  waveId: string,
  { after, limit }: { after: string; limit: number },
): Promise<EarlyStart[]> {
  const { rows } = await sql<EarlyStart>`
    select p.external_account_number as external, to_char(m.first_supply_start, 'YYYY-MM-DD') as "supplyStart",
      to_char(m.switch_request_on, 'YYYY-MM-DD') as "requestOn"
    from wave_account m cross join ${planOf(waveId)} w
      cross join lateral (select * from import_process p where p.id = m.import_process_id offset 0) p
      left join wave_exclusion e on e.wave_id = m.wave_id and e.record = p.external_account_number
    where m.wave_id = ${waveId} and ${isEarly} and p.external_account_number > ${after}
    order by p.external_account_number limit ${limit}`.execute(kyselyOf<object>(on));
  return rows;
}

const LINES_OF_PAGE = 5_000;

/** Reads all members of a wave whose supply starts too early for its plan. */
export function readEarlyStarts(on: Queryable, waveId: string): AsyncGenerator<EarlyStart[]> {
  const read = (after: string) => findEarlyStarts(on, waveId, { after, limit: LINES_OF_PAGE });
  return keysetPages('', LINES_OF_PAGE, ({ external }) => external, read);
}
