import { sql, type InsertObject } from 'kysely';
import { parties, type PartyName } from '../../vocabulary/parties.ts';
import { kyselyOf, type Queryable } from '../database/prepared-query.ts';
import { loggedFault, type Log } from '../log.ts';
import type { PartyHealthTable } from './party-health.entity.ts';

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

const NOW = sql<Date>`clock_timestamp()`;

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
      const what = hasAnswered ? 'answered' : outcome;
      const key = `${party} ${what}`;
      const againAfterMs = last.get(party) === what ? SAME_STATE_EVERY_MS : CHANGED_STATE_EVERY_MS;
      if (now() - (reportedAt.get(key) ?? -Infinity) < againAfterMs) return;
      last.set(party, what);
      reportedAt.set(key, now());
      write(party, hasAnswered ? { answered_at: NOW } : { failed_at: NOW, failure: outcome });
    },
    paused: (party, pauseMs) => {
      if (pauseMs === undefined) return write(party, { rests_until: null });
      const until = sql<Date>`clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})`;
      // The longest pause reported by any worker counts. A response to any worker ends it, within a few seconds.
      return write(
        party,
        { rests_until: until },
        { rests_until: sql<Date>`greatest(party_health.rests_until, ${until})` },
      );
    },
  };
}

/** Returns the health of each outside party as reported by all workers. */
export async function findPartyStates(on: Queryable): Promise<PartyState[]> {
  const states = await kyselyOf<PartyHealthTable>(on)
    .selectFrom('party_health')
    .select(['party', 'answered_at as answeredAt', 'failed_at as failedAt', 'failure'])
    .select(sql<Date | null>`case when rests_until > clock_timestamp() then rests_until end`.as('pausedUntil'))
    .execute();
  const unknown = { answeredAt: null, failedAt: null, failure: null, pausedUntil: null };
  return parties.map((party) => ({ ...unknown, ...states.find((state) => state.party === party), party }));
}
