import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import type { RunKind } from '../../temporal.config.ts';
import type { Database } from '../platform/database/database.ts';
import { findHeldPoints, type HeldPoints, listUnmatchedMessages, type MessageView } from '../switching/index.ts';
import { findDeferred, type DeferredLookups } from '../supply-points/index.ts';
import { isTransientError } from '../platform/database/faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { readBacklog, countStuck } from './count-stuck.store.ts';
import type { Backlog } from '../platform/metrics/observed-metrics.ts';
import {
  type ConcernedAccount,
  type OpenRun,
  type Subject,
  accountsIn,
  errorIfAway,
  describeOpenRun,
  inputOfRun,
  listOpenRuns,
  subjectIn,
} from './open-run.client.ts';
import { viewOfHeld, viewOfUnmatched, viewOfDeferred } from './stored-views.rules.ts';
import type { StuckCount } from '../platform/work-items/work-failure.store.ts';
import {
  adviceFor,
  adviceForFailure,
  causeOf,
  ofState,
  RECEIVER_UNREACHABLE,
  START_WORK_ITEM,
} from './stuck-advice.rules.ts';
import { stuckIds } from './stuck-id.rules.ts';
import type { StuckView } from './stuck.schema.ts';
import { findPendingWork, findWorkItems, type PendingWork } from '../platform/work-items/work-item.store.ts';

/** Stuck work at one time. */
export interface StuckSnapshot {
  /** Oldest first. */
  stuck: StuckView[];
  /** False if there is more work than is read at once, or if the database could not be read. */
  isWhole: boolean;
  /** Null while the database is unavailable. */
  dueWork: Backlog | null;
  /** Exact counts from Postgres, also of unlisted work; empty for one account. */
  counts: StuckCount[];
}

/** Rows and open runs that are listed. */
const READ_MAX = 10_000;
/** Number of runs without a stored cause that are described by Temporal, oldest first. */
const DESCRIBED_MAX = 500;
const DESCRIBED_AT_ONCE = 16;
/** Time limit of requests to Temporal; the list is incomplete after it. */
const DESCRIBING_MS = 4_000;
const DEADLINE_MS = 6_000;

interface SnapshotDeps {
  database: Database;
  gateway: TemporalGateway;
}

/**
 * Joins the work items in Postgres with the runs in Temporal: batches that wait for the database, quarantined accounts, work
 * items without a run, deferred lookups, unmatched market messages, and claims.
 * @param account only the work of this account
 */
export async function readSnapshot({ database, gateway }: SnapshotDeps, account?: string): Promise<StuckSnapshot> {
  const client = await errorIfAway(() => gateway.client());
  const read = () => joinStores(database, client, account);
  return client instanceof Error ? read() : client.withDeadline(Date.now() + DEADLINE_MS, read);
}

async function joinStores(
  database: Database,
  client: Client | Error,
  account: string | undefined,
): Promise<StuckSnapshot> {
  const [listed, stored] = await Promise.all([
    client instanceof Error ? client : account === undefined ? errorIfAway(() => listOpenRuns(client, READ_MAX)) : [],
    unlessTransient(() => readStored(database, account)),
  ]);
  // Without Temporal, an empty list would be wrong.
  if (listed instanceof Error && isNothing(stored)) throw listed;
  const open = listed instanceof Error ? [] : listed;
  const work = stored?.work ?? [];
  const workItemById = new Map(work.map((one) => [one.workflowId, one]));
  const failing = work.filter(({ cause }) => cause !== null);
  const views: StuckView[] = [
    ...failing.map(viewOfWorkItem),
    ...(stored?.unmatched ?? []).map(viewOfUnmatched),
    ...(stored?.held ?? []).map(viewOfHeld),
  ];
  const until = performance.now() + DESCRIBING_MS;
  let isDescribed = true;
  const describe = async (workflowId: string): Promise<void> => {
    if (performance.now() >= until) {
      isDescribed = false;
      return;
    }
    const view = client instanceof Error ? undefined : await viewOf(client, workflowId, workItemById.get(workflowId));
    if (view !== undefined) views.push(view);
  };
  const failingIds = new Set(failing.map(({ workflowId }) => workflowId));
  const unclear = [...new Set([...workItemById.keys(), ...open])].filter((id) => !failingIds.has(id));
  if (listed instanceof Error) isDescribed = false;
  else await pMap(unclear.slice(0, DESCRIBED_MAX), describe, { concurrency: DESCRIBED_AT_ONCE });
  // A failing run of the network operator has the same id and takes precedence.
  for (const deferred of (stored?.deferred ?? []).map(viewOfDeferred)) {
    if (!views.some(({ id }) => id === deferred.id)) views.push(deferred);
  }
  views.sort(byAge);
  const isCut = stored?.held === undefined || open.length >= READ_MAX || unclear.length > DESCRIBED_MAX;
  return {
    stuck: views,
    isWhole: stored !== undefined && isDescribed && !isCut,
    dueWork: stored?.dueWork ?? null,
    counts: stored?.counts ?? [],
  };
}

function isNothing(stored: Stored | undefined): boolean {
  if (stored === undefined) return true;
  const { counts, work, unmatched, held } = stored;
  const failing = work.some(({ cause }) => cause !== null);
  return counts.length === 0 && !failing && unmatched.length === 0 && (held ?? []).length === 0;
}

/** Adds attempts, next attempt and pause from Temporal to the items of a page. */
export async function withAttempts({ gateway }: SnapshotDeps, views: readonly StuckView[]): Promise<StuckView[]> {
  const client = await errorIfAway(() => gateway.client());
  if (client instanceof Error) return [...views];
  return client.withDeadline(Date.now() + DESCRIBING_MS, () =>
    pMap(
      views,
      async (view) => {
        if (view.workflow_id === '' || view.attempt > 0 || view.last_failure === null) return view;
        const run = await describeOpenRun(client, view.workflow_id).catch(() => undefined);
        if (run?.activity === undefined) return view;
        const { attempt, next_attempt_at, paused, what_to_do } = viewOfRun(run, view.accounts, view);
        return { ...view, attempt, next_attempt_at, paused, what_to_do };
      },
      { concurrency: DESCRIBED_AT_ONCE },
    ),
  );
}

/** Reads the run of one item, with its work item; undefined if it is not stuck. */
export async function readStuckRun(deps: SnapshotDeps, workflowId: string): Promise<StuckView | undefined> {
  const work = await findPendingWork(deps.database, workflowId);
  const stored = work && viewOfWorkItem(work);
  if (stored !== undefined && stored.last_failure !== null) return (await withAttempts(deps, [stored]))[0];
  const client = await errorIfAway(() => deps.gateway.client());
  if (client instanceof Error) return stored;
  return client.withDeadline(Date.now() + DEADLINE_MS, () => viewOf(client, workflowId, work));
}

/** The order of the list: oldest first, then by id. */
export function byAge(
  one: Pick<StuckView, 'waiting_since' | 'id'>,
  other: Pick<StuckView, 'waiting_since' | 'id'>,
): number {
  return compared(one.waiting_since, other.waiting_since) || compared(one.id, other.id);
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

interface Stored {
  work: PendingWork[];
  unmatched: MessageView[];
  /** Undefined while accounts are locked. */
  held: HeldPoints[] | undefined;
  deferred: DeferredLookups[];
  dueWork: Backlog | null;
  counts: StuckCount[];
}

async function readStored(database: Database, account: string | undefined): Promise<Stored> {
  const [work, unmatched, held, deferred, dueWork, counts] = await Promise.all([
    findWorkItems(database, READ_MAX, account),
    listUnmatchedMessages(database, { account }, READ_MAX),
    unlessTransient(() => findHeldPoints(database, READ_MAX, account)),
    account === undefined ? findDeferred(database) : [],
    account === undefined ? readBacklog(database) : null,
    account === undefined ? countStuck(database) : [],
  ]);
  return { work, unmatched, held, deferred, dueWork, counts };
}

/** Undefined while the database is unavailable, or rows are locked. */
async function unlessTransient<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isTransientError(error)) return undefined;
    throw error;
  }
}

async function viewOf(
  client: Client,
  workflowId: string,
  work: PendingWork | undefined,
): Promise<StuckView | undefined> {
  const run = await describeOpenRun(client, workflowId);
  if (run === undefined) return work && viewOfWorkItem(work);
  if (run.activity === undefined && !run.waitsForWorker) return undefined;
  // These runs normally take hours, so they are stuck only if a step fails.
  if (
    isLongLived(run.kind) &&
    !run.waitsForWorker &&
    run.activity?.lastFailure === undefined &&
    !run.activity?.isPaused
  ) {
    return undefined;
  }
  const input = work ? work.input : await inputOfRun(client, run);
  const [accounts, subject] = [accountsIn(input), subjectIn(input)];
  const hasSubject = accounts.length > 0 || Object.values(subject).some((id) => id !== null);
  return !hasSubject && !WITHOUT_SUBJECT.has(run.kind) ? undefined : viewOfRun(run, accounts, subject);
}

const WITHOUT_SUBJECT: ReadonlySet<RunKind> = new Set(['retention', 'request-switches', 'bulk-action']);

const LONG_LIVED: ReadonlySet<RunKind> = new Set([
  'request-switches',
  'look-up-supply-points',
  'populate-supply-points',
  'import-job',
  'wave',
  'reconcile',
  'withdraw',
  'bulk-action',
  'retention',
  'deliver-events',
]);

function isLongLived(kind: RunKind): boolean {
  return LONG_LIVED.has(kind);
}

function viewOfRun(run: OpenRun, accounts: ConcernedAccount[], subject: Subject): StuckView {
  const { activity } = run;
  return {
    id: stuckIds.of(run.workflowId),
    kind: run.kind,
    workflow_id: run.workflowId,
    accounts,
    ...subject,
    message_id: null,
    waiting_since: run.startedAt.toISOString(),
    attempt: activity?.attempt ?? 0,
    last_failure: activity?.lastFailure ?? null,
    next_attempt_at: activity?.isPaused ? null : (activity?.nextAttemptAt?.toISOString() ?? null),
    paused: activity?.isPaused ?? false,
    cause: causeOf(run),
    what_to_do: adviceFor(run),
  };
}

function viewOfWorkItem(work: PendingWork): StuckView {
  return {
    id: stuckIds.of(work.workflowId),
    kind: work.kind,
    workflow_id: work.workflowId,
    accounts: accountsIn(work.input),
    ...subjectIn(work.input),
    message_id: null,
    waiting_since: (work.failingSince ?? work.createdAt).toISOString(),
    attempt: 0,
    last_failure: failureOfState(work),
    next_attempt_at: work.startAt.toISOString(),
    paused: false,
    cause: failureOfState(work)?.type ?? 'not_started',
    what_to_do: adviceForWorkItem(work),
  };
}

function adviceForWorkItem({ kind, state, cause }: PendingWork): string {
  if (cause !== null) return adviceForFailure(cause);
  if (state !== 'unreachable' && state !== 'silent') return START_WORK_ITEM;
  return kind === 'deliver-events' ? RECEIVER_UNREACHABLE : ofState[state];
}

function failureOfState({ kind, state, cause, failure }: PendingWork): StuckView['last_failure'] {
  if (cause !== null) return { type: cause, message: failure ?? '' };
  if (state !== 'unreachable' && state !== 'silent') return null;
  if (kind === 'deliver-events') {
    return { type: 'receiver_unreachable', message: 'The receiver of events has failed for a day.' };
  }
  return {
    type: `industry_switch_${state}`,
    message: state === 'silent' ? 'No market message has been received.' : 'The industry switch did not respond.',
  };
}
