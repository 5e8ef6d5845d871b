import { setTimeout as sleep } from 'node:timers/promises';
import { findAccountCounts, findCreationMinutes } from '../account-import/index.ts';
import { readJobsUnderWay } from '../import-jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseState } from '../platform/database/database-state.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { findPartyStates, type PartyState } from '../platform/vendor-http/party-health.store.ts';
import { readDueWorkView, type StuckWork } from '../stuck/index.ts';
import { findLookupLoads, type LookupLoad } from '../supply-points/index.ts';
import { endAtRate, partyStateOf } from './overview.rules.ts';
import type { Overview } from './overview.schema.ts';

interface OverviewDeps {
  database: Database;
  gateway: TemporalGateway;
  stuck: StuckWork;
  clock: Clock;
  log: Log;
}

export interface OverviewReader {
  /**
   * @param answerTimeoutMs longest wait for Temporal; after it the previous answer is used, if there is one
   * @throws errors of the database
   */
  read(answerTimeoutMs: number): Promise<Overview>;
}

/** A process reads once in this time for all callers. */
const READ_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** Minutes of creations that are shown, including the present one. */
const MINUTES_SHOWN = 180;
const JOBS_SHOWN = 50;

type OfDatabase = Omit<Overview, 'stuck' | 'temporal'>;

/** Creates a reader of the overview that caches for a second. */
export function createOverview(deps: OverviewDeps): OverviewReader {
  const stored = createShortCache<'all', OfDatabase>({ load: () => readDatabase(deps), forMs: READ_EVERY_MS });
  const stuck = newest(() => readStuck(deps));
  const temporal = newest(async (): Promise<Overview['temporal']> => ({
    state: (await deps.gateway.isReady()) ? 'ok' : 'away',
  }));
  return {
    read: async (answerTimeoutMs) => {
      const [ofDatabase, pending, engine] = await Promise.all([
        stored.fetch('all'),
        stuck(answerTimeoutMs),
        temporal(answerTimeoutMs),
      ]);
      return { ...ofDatabase, stuck: pending ?? null, temporal: engine ?? { state: 'unknown' } };
    },
  };
}

/** Runs one request at a time; callers that time out get the previous answer. */
function newest<Answer>(ask: () => Promise<Answer>): (answerTimeoutMs: number) => Promise<Answer | undefined> {
  let last: Answer | undefined;
  let asking: Promise<Answer> | undefined;
  return async (answerTimeoutMs) => {
    asking ??= ask()
      .then((answer) => (last = answer))
      .finally(() => {
        asking = undefined;
      });
    const timeout = new AbortController();
    const answer = await Promise.race([
      asking,
      sleep(answerTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
    return answer ?? last;
  };
}

/** Null while Temporal is unavailable and no stored work is known. */
async function readStuck({ stuck, clock, log }: OverviewDeps): Promise<Overview['stuck']> {
  try {
    const { total, counted_all, counts } = await stuck.list({});
    return { read_at: clock.now().toISOString(), total, counted_all, counts };
  } catch (error) {
    if (!isTemporalAway(error)) log.warn({ fault: loggedFault(error) }, 'stuck work cannot be counted');
    return null;
  }
}

async function readDatabase({ database, clock }: OverviewDeps): Promise<OfDatabase> {
  const now = clock.now();
  const from = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - (MINUTES_SHOWN - 1) * MINUTE_MS);
  const askedAt = performance.now();
  await databaseState(database);
  const answeredInMs = Math.ceil(performance.now() - askedAt);
  const [accounts, minutes, jobs, loads, parties, dueWork] = await Promise.all([
    findAccountCounts(database),
    findCreationMinutes(database, from),
    readJobsUnderWay(database, JOBS_SHOWN),
    findLookupLoads(database),
    findPartyStates(database),
    readDueWorkView(database),
  ]);
  return {
    read_at: now.toISOString(),
    accounts: accounts.map(({ importSupplier, beingCreated, switched, ...counts }) => ({
      import_supplier: importSupplier,
      ...counts,
      being_created: beingCreated,
      switch: switched,
    })),
    creations: {
      from: from.toISOString(),
      minutes: minutes.map(({ minute, created }) => ({ minute: minute.toISOString(), created })),
    },
    import_jobs: jobs,
    look_ups: loads.map((load) => viewOfLoad(load, now)),
    parties: parties.map(viewOfParty),
    database: { answered_in_ms: answeredInMs },
    due_work: dueWork,
  };
}

function viewOfLoad(load: LookupLoad, now: Date): Overview['look_ups'][number] {
  return {
    network_operator: load.networkOperator,
    open_batches: load.openBatches,
    pending: load.pending,
    per_second: Math.round(load.perSecond * 10) / 10,
    requests_per_second: load.requestsPerSecond,
    requests_per_hour: load.requestsPerHour,
    used_per_second: load.usedPerSecond,
    blocked_until: load.blockedUntil?.toISOString() ?? null,
    estimated_end_at: endAtRate(load.pending, load.perSecond, now)?.toISOString() ?? null,
  };
}

function viewOfParty({ party, failure, ...moments }: PartyState): Overview['parties'][number] {
  const told = {
    answered_at: moments.answeredAt?.toISOString() ?? null,
    failed_at: moments.failedAt?.toISOString() ?? null,
    rests_until: moments.pausedUntil?.toISOString() ?? null,
  };
  return { party, state: partyStateOf(told), failure, ...told };
}
