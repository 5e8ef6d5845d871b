import { sql, type InsertObject } from 'kysely';
import { parties, type PartyName } from '../../vocabulary/parties.ts';
import { kyselyOf, type Queryable } from '../database/prepared-query.ts';
import { loggedFault, type Log } from '../log.ts';
import type { PartyHealthTable, StoredOutage } from './party-health.entity.ts';

/** Health of an outside party. Times are those of the database's clock; null if it never happened. */
export interface PartyState {
  party: PartyName;
  /** When it last responded, including rejections. */
  answeredAt: Date | null;
  failedAt: Date | null;
  /** Class of the last failure: `busy`, `unavailable`, `misconfigured`. */
  failure: string | null;
  /** Until when the circuit breaker of a worker is open; null if none is. */
  pausedUntil: Date | null;
  /** The last outages, newest first. */
  outages: readonly StoredOutage[];
}

/** Receives the results of the calls of this process. */
export interface PartyHealthReporter {
  /** @param outcome class of the call */
  called(party: PartyName, outcome: string): void;
  /** @param pauseMs how long the circuit breaker is open; undefined when it closes */
  paused(party: PartyName, pauseMs: number | undefined): void;
}

/** Interval at which an unchanged state is stored again, and thus its maximum age on pages. */
const SAME_STATE_EVERY_MS = 5_000;
/** Interval for changed states, in case a party fails at every other call. */
const CHANGED_STATE_EVERY_MS = 1_000;
/** A rejection is a response. */
const ANSWERS = new Set(['ok', 'rejected']);
const FAILURES = new Set(['busy', 'unavailable', 'misconfigured']);

/** Interval at which counted calls are stored, and thus how far a call may be from its minute. */
const COUNTS_EVERY_MS = 5_000;
const MINUTE = sql<Date>`date_trunc('minute', clock_timestamp())`;

const NOW = sql<Date>`clock_timestamp()`;

/** Outages kept of each party. */
const OUTAGES_MAX = 50;
/** A circuit breaker that opens again within this time continues the outage. */
const SAME_OUTAGE = sql`interval '1 minute'`;
const LAST = sql`party_health.outages -> 0`;

/** Outages after a circuit breaker has opened: the last one continues, or a new one begins. */
function outagesWhenOpened(failedCalls: number) {
  const begun = sql`jsonb_build_object('from', clock_timestamp(), 'failed_calls', ${failedCalls}::integer)`;
  const continued = sql`((${LAST}) - 'to') || jsonb_build_object('failed_calls', (${LAST} ->> 'failed_calls')::integer + ${failedCalls}::integer)`;
  const isSame = sql`coalesce((${LAST} ->> 'to')::timestamptz, 'infinity') > clock_timestamp() - ${SAME_OUTAGE}`;
  return {
    first: sql<StoredOutage[]>`jsonb_build_array(${begun})`,
    next: sql<
      StoredOutage[]
    >`case when party_health.outages <> '[]' and ${isSame} then jsonb_set(party_health.outages, '{0}', ${continued})
      else jsonb_build_array(${begun}) || jsonb_path_query_array(party_health.outages, ${`$[0 to ${OUTAGES_MAX - 2}]`}::jsonpath) end`,
  };
}

const OUTAGES_WHEN_CLOSED = sql<StoredOutage[]>`case when party_health.outages <> '[]' and ${LAST} -> 'to' is null
  then jsonb_set(party_health.outages, '{0,to}', to_jsonb(clock_timestamp())) else party_health.outages end`;

/**
 * Shares the health of outside parties between processes: changes immediately, unchanged states every few seconds. Not awaited; a failed
 * write is only logged.
 * @param now monotonic clock, in milliseconds
 * @param countsEveryMs how long calls are counted before the counts are stored
 */
export function reportPartyHealth({
  database,
  log,
  now = () => performance.now(),
  countsEveryMs = COUNTS_EVERY_MS,
}: {
  database: Queryable;
  log: Log;
  now?: () => number;
  countsEveryMs?: number;
}): PartyHealthReporter {
  const last = new Map<PartyName, string>();
  const reportedAt = new Map<string, number>();
  /** Failed calls since the last response, without those that are stored with an outage. */
  const failed = new Map<PartyName, number>();
  const countCall = countCalls(database, log, countsEveryMs);
  type Change = Partial<InsertObject<PartyHealthTable, 'party_health'>>;
  const write = (party: PartyName, inserted: Change, updated = inserted): void => {
    kyselyOf<PartyHealthTable>(database)
      .insertInto('party_health')
      .values({ party, ...inserted })
      .onConflict((conflict) => conflict.column('party').doUpdateSet(updated))
      .execute()
      .catch((error: unknown) => {
        log.debug({ party, fault: loggedFault(error) }, 'health of an outside party could not be stored');
      });
  };
  return {
    called: (party, outcome) => {
      const hasAnswered = ANSWERS.has(outcome);
      if (!hasAnswered && !FAILURES.has(outcome)) return;
      countCall(party, hasAnswered);
      failed.set(party, hasAnswered ? 0 : (failed.get(party) ?? 0) + 1);
      const what = hasAnswered ? 'answered' : outcome;
      const key = `${party} ${what}`;
      const againAfterMs = last.get(party) === what ? SAME_STATE_EVERY_MS : CHANGED_STATE_EVERY_MS;
      if (now() - (reportedAt.get(key) ?? -Infinity) < againAfterMs) return;
      last.set(party, what);
      reportedAt.set(key, now());
      write(party, hasAnswered ? { answered_at: NOW } : { failed_at: NOW, failure: outcome });
    },
    paused: (party, pauseMs) => {
      if (pauseMs === undefined) {
        return write(party, { rests_until: null }, { rests_until: null, outages: OUTAGES_WHEN_CLOSED });
      }
      const until = sql<Date>`clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})`;
      const { first, next } = outagesWhenOpened(failed.get(party) ?? 0);
      failed.set(party, 0);
      // The longest pause reported by any worker counts. A response to any worker ends it, within a few seconds.
      return write(
        party,
        { rests_until: until, outages: first },
        { rests_until: sql<Date>`greatest(party_health.rests_until, ${until})`, outages: next },
      );
    },
  };
}

/** Calls of a party that are not stored yet. */
interface CountedCalls {
  answered: number;
  failed: number;
}

/** Counts calls by party and minute, and stores the counts some seconds later. Counts of a process that dies are lost. */
function countCalls(database: Queryable, log: Log, everyMs: number): (party: PartyName, hasAnswered: boolean) => void {
  const counted = new Map<PartyName, CountedCalls>();
  const store = () => {
    const all = [...counted];
    counted.clear();
    for (const [party, calls] of all) {
      addCalls(database, party, calls).catch((error: unknown) => {
        log.debug({ party, fault: loggedFault(error) }, 'calls of an outside party could not be counted');
      });
    }
  };
  return (party, hasAnswered) => {
    if (counted.size === 0) setTimeout(store, everyMs).unref();
    const calls = counted.get(party) ?? { answered: 0, failed: 0 };
    calls[hasAnswered ? 'answered' : 'failed'] += 1;
    counted.set(party, calls);
  };
}

/** Adds calls to the current minute of a party, and deletes its minutes of more than a day ago. */
async function addCalls(database: Queryable, party: PartyName, calls: CountedCalls): Promise<void> {
  const tables = kyselyOf<PartyHealthTable>(database);
  await tables
    .insertInto('party_minute')
    .values({ party, minute: MINUTE, ...calls })
    .onConflict((conflict) =>
      conflict
        .columns(['party', 'minute'])
        .doUpdateSet({
          answered: sql<number>`party_minute.answered + excluded.answered`,
          failed: sql<number>`party_minute.failed + excluded.failed`,
        }),
    )
    .execute();
  await tables
    .deleteFrom('party_minute')
    .where('party', '=', party)
    .where('minute', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute();
}

/** Returns the calls of a party by minute, for the last day and without minutes in which it was not called. */
export function findPartyMinutes(on: Queryable, party: PartyName): Promise<(CountedCalls & { minute: Date })[]> {
  return kyselyOf<PartyHealthTable>(on)
    .selectFrom('party_minute')
    .select(['minute', 'answered', 'failed'])
    .where('party', '=', party)
    .where('minute', '>=', sql<Date>`clock_timestamp() - interval '1 day'`)
    .orderBy('minute')
    .execute();
}

/** Returns the health of each outside party as reported by all workers. */
export async function findPartyStates(on: Queryable): Promise<PartyState[]> {
  const states = await kyselyOf<PartyHealthTable>(on)
    .selectFrom('party_health')
    .select(['party', 'answered_at as answeredAt', 'failed_at as failedAt', 'failure', 'outages'])
    .select(sql<Date | null>`case when rests_until > clock_timestamp() then rests_until end`.as('pausedUntil'))
    .execute();
  const unknown = { answeredAt: null, failedAt: null, failure: null, pausedUntil: null, outages: [] };
  return parties.map((party) => ({ ...unknown, ...states.find((state) => state.party === party), party }));
}
