import { parties, type PartyName } from '../../vocabulary/parties.ts';
import { run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';
import { loggedFault, type Log } from '../log.ts';

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

const ANSWERED: PreparedQuery = {
  name: 'party-answered',
  text: `insert into party_health (party, answered_at) values ($1, clock_timestamp())
    on conflict (party) do update set answered_at = excluded.answered_at`,
};
const FAILED: PreparedQuery = {
  name: 'party-failed',
  text: `insert into party_health (party, failed_at, failure) values ($1, clock_timestamp(), $2)
    on conflict (party) do update set failed_at = excluded.failed_at, failure = excluded.failure`,
};
// The longest pause reported by any worker counts. A response to any worker ends it, within a few seconds.
const PAUSED: PreparedQuery = {
  name: 'party-rests',
  text: `insert into party_health as h (party, rests_until) values ($1, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
    on conflict (party) do update set rests_until = greatest(h.rests_until, excluded.rests_until)`,
};
const NOT_PAUSED: PreparedQuery = {
  name: 'party-rests-no-more',
  text: 'update party_health set rests_until = null where party = $1',
};
const STATES: PreparedQuery = {
  name: 'party-states',
  text: `
    select n.party, h.answered_at as "answeredAt", h.failed_at as "failedAt", h.failure,
      case when h.rests_until > clock_timestamp() then h.rests_until end as "pausedUntil"
    from unnest($1::text[]) with ordinality as n (party, place) left join party_health h on h.party = n.party order by n.place`,
};

/**
 * Shares the health of outside parties between processes: changes immediately, unchanged states every few seconds. Not awaited; a failed
 * write is only logged.
 * @param now monotonic clock, in milliseconds
 */
export function reportPartyHealth({
  database,
  log,
  now = () => performance.now(),
}: {
  database: Queryable;
  log: Log;
  now?: () => number;
}): PartyHealthReporter {
  const last = new Map<PartyName, string>();
  const reportedAt = new Map<string, number>();
  const write = (party: PartyName, query: PreparedQuery, values: readonly unknown[]): void => {
    run(database, query, values).catch((error: unknown) => {
      log.debug({ party, fault: loggedFault(error) }, 'health of an outside party could not be stored');
    });
  };
  return {
    called: (party, outcome) => {
      const hasAnswered = ANSWERS.has(outcome);
      if (!hasAnswered && !FAILURES.has(outcome)) return;
      const what = hasAnswered ? 'answered' : outcome;
      const key = `${party} ${what}`;
      const againAfterMs = last.get(party) === what ? SAME_STATE_EVERY_MS : CHANGED_STATE_EVERY_MS;
      if (now() - (reportedAt.get(key) ?? -Infinity) < againAfterMs) return;
      last.set(party, what);
      reportedAt.set(key, now());
      if (hasAnswered) write(party, ANSWERED, [party]);
      else write(party, FAILED, [party, outcome]);
    },
    paused: (party, pauseMs) => {
      if (pauseMs === undefined) write(party, NOT_PAUSED, [party]);
      else write(party, PAUSED, [party, pauseMs]);
    },
  };
}

/** Returns the health of each outside party as reported by all workers. */
export async function findPartyStates(on: Queryable): Promise<PartyState[]> {
  return run<PartyState & Record<string, unknown>>(on, STATES, [parties]);
}
