import { setTimeout as sleep } from 'node:timers/promises';
import { findAccountCounts, findCountMinutes, type EnteredInMinute } from '../account-import/index.ts';
import { findPausedJobs, readJobsUnderWay } from '../import-jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseState } from '../platform/database/database-state.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { findPartyStates, type PartyState } from '../platform/vendor-http/party-health.store.ts';
import { countStuck, readDueWorkView, type StuckWork } from '../stuck/index.ts';
import { findLookupLoads, type LookupLoad } from '../supply-points/index.ts';
import { findWaitingWaves } from '../waves/index.ts';
import { decisionsOf, type Decision, endAtRate, partyStateOf } from './decision.rules.ts';
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
  /** Like `read`, with what else the support site shows. */
  readForPeople(answerTimeoutMs: number): Promise<OverviewForPeople>;
  /** What waited for a person at most a minute ago; empty while that is not known. Starts a read if the answer is not new. */
  newestDecisions(): readonly Decision[];
}

/** The overview of the support site. */
export interface OverviewForPeople extends Overview {
  decisions: readonly Decision[];
  /** Accounts created and rejected and switches completed, by minute since `creations.from`. */
  entered: readonly EnteredInMinute[];
  /** Lookups per second by minute, as this process has seen them. */
  lookups: readonly { minute: Date; perSecond: number }[];
}

/** A process reads once in this time for all callers. */
const READ_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** Minutes of creations that are shown, including the present one. */
const MINUTES_SHOWN = 180;
const JOBS_SHOWN = 50;

/** How old the decisions are that pages show, and after which time they are read again. */
const DECISIONS_SHOWN_MS = 60_000;
const DECISIONS_READ_AFTER_MS = 15_000;

type OfDatabase = Omit<OverviewForPeople, 'stuck' | 'temporal'>;

/** Creates a reader of the overview that caches for a second. */
export function createOverview(deps: OverviewDeps): OverviewReader {
  const lookups = new Map<number, number>();
  let last: OfDatabase | undefined;
  const stored = createShortCache<'all', OfDatabase>({
    load: async () => (last = await readDatabase(deps, lookups)),
    forMs: READ_EVERY_MS,
  });
  const stuck = newest(() => readStuck(deps));
  const temporal = newest(async (): Promise<Overview['temporal']> => ({
    state: (await deps.gateway.isReady()) ? 'ok' : 'away',
  }));
  const readForPeople = async (answerTimeoutMs: number): Promise<OverviewForPeople> => {
    const [ofDatabase, pending, engine] = await Promise.all([
      stored.fetch('all'),
      stuck(answerTimeoutMs),
      temporal(answerTimeoutMs),
    ]);
    return { ...ofDatabase, stuck: pending ?? null, temporal: engine ?? { state: 'unknown' } };
  };
  return {
    readForPeople,
    read: async (answerTimeoutMs) => {
      const { decisions: _, entered: _entered, lookups: _lookups, ...overview } = await readForPeople(answerTimeoutMs);
      return overview;
    },
    newestDecisions: () => {
      const ageMs = last === undefined ? Infinity : deps.clock.now().getTime() - Date.parse(last.read_at);
      if (ageMs > DECISIONS_READ_AFTER_MS) stored.fetch('all').catch(() => {});
      return last !== undefined && ageMs < DECISIONS_SHOWN_MS ? last.decisions : [];
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

/** @param lookups rates of lookups by minute, to which this one is added */
async function readDatabase({ database, clock }: OverviewDeps, lookups: Map<number, number>): Promise<OfDatabase> {
  const now = clock.now();
  const from = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - (MINUTES_SHOWN - 1) * MINUTE_MS);
  const askedAt = performance.now();
  await databaseState(database);
  const answeredInMs = Math.ceil(performance.now() - askedAt);
  const [accounts, entered, jobs, loads, parties, dueWork, stuckCounts, pausedJobs, waves] = await Promise.all([
    findAccountCounts(database),
    findCountMinutes(database, from),
    readJobsUnderWay(database, JOBS_SHOWN),
    findLookupLoads(database),
    findPartyStates(database),
    readDueWorkView(database),
    countStuck(database),
    findPausedJobs(database),
    findWaitingWaves(database),
  ]);
  const minute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  lookups.set(
    minute,
    loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
  );
  for (const old of lookups.keys()) if (old < from.getTime()) lookups.delete(old);
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
      minutes: entered
        .filter(({ state }) => state === 'created')
        .map((one) => ({ minute: one.minute.toISOString(), created: one.entered })),
    },
    import_jobs: jobs,
    look_ups: loads.map((load) => viewOfLoad(load, now)),
    parties: parties.map(viewOfParty),
    database: { answered_in_ms: answeredInMs },
    due_work: dueWork,
    decisions: decisionsOf(
      pausedJobs.map((job) => ({ ...job, name: job.name ?? job.importSupplier, since: job.pausedAt })),
      waves,
      stuckCounts,
    ),
    entered,
    lookups: [...lookups].map(([at, perSecond]) => ({ minute: new Date(at), perSecond })),
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
