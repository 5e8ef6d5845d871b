import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import { decodeTextCursor, encodeTextCursor } from '../foundation/keyset-pages.ts';
import { invalidCursor, accountsIn } from '../stuck/index.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { MismatchKind } from '../vocabulary/mismatches.ts';
import type { CheckPage, MismatchView } from './check.schema.ts';
import {
  viewOfMismatch,
  type CheckStep,
  type Mismatch,
  type CheckDeps,
  keyedPage,
  type ComparedPage,
} from './check-step.rules.ts';
import {
  messagesStep,
  partitionsStep,
  quarantinedStep,
  slotsStep,
  runsWithoutWorkStep,
  UnknownPosition,
} from './left-over.client.ts';
import pMap from 'p-map';
import { findOpenRun } from '../platform/temporal/start-run.ts';
import {
  findExpectingWork,
  findKnownWork,
  type ExpectingWork,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import { findUnfinishedJobs } from '../import-jobs/index.ts';
import { findUnfinishedWaves } from '../waves/index.ts';
import { findUnfinishedVerifications } from '../payment-instructions/index.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import { findUnfinishedReconciliations } from '../reconciliation/index.ts';
import { findUnfinishedBatches, findUnfinishedLookups } from '../supply-points/index.ts';
import { findUnfinishedSwitches } from '../switching/index.ts';
import { findUnfinishedBulkActions } from '../bulk-actions/index.ts';
import { findUnfinishedWithdrawals } from '../withdrawal/index.ts';

/** Parameters of one request. */
interface CheckOrder {
  cursor: string | undefined;
  /** The actor of repairs; if undefined, nothing is changed. */
  actor?: Actor;
  /** The kinds of mismatch to repair; all by default. */
  kinds?: ReadonlySet<MismatchKind>;
  hungUp: AbortSignal;
}

/** Rows or runs per read; fewer for repairs, because each needs a call. */
const PAGE_SIZE = 500;
const REPAIR_PAGE_SIZE = 25;
/** Pause after each repair, so that runs that were lost together do not start together. */
const PAUSE_MS = 50;
/** After this time a request starts no further step; the next request continues. */
const WORKS_MS = 3_000;
const DEADLINE_MS = 8_000;

/** Position in a check: the step, and the position in the step. */
interface CheckPosition {
  step: string;
  /** Empty at the beginning of the step. */
  after: string;
}

/** Longest workflow id, message id or token of Temporal; a cursor with a longer one is invalid. */
const POSITION_LENGTH_MAX = 1_000;

/** In this order one pass repairs everything: first the work items, then their runs, then runs without a work item. */
function stepsOf(deps: CheckDeps): CheckStep[] {
  return [
    ...unfinishedSteps(deps),
    expectedRunsStep(deps),
    runsWithoutWorkStep(deps),
    slotsStep(deps),
    quarantinedStep(deps),
    messagesStep(deps),
    partitionsStep(deps),
  ];
}

/**
 * Compares one page of Postgres and Temporal and, if an actor is given, repairs the mismatches, each with an entry in the audit.
 * @returns the page, or a refusal if the cursor is invalid or Temporal is unavailable
 */
export async function checkPage(deps: CheckDeps, order: CheckOrder): Promise<CheckPage | Refused> {
  const steps = stepsOf(deps);
  const start = startOf(steps, order.cursor);
  if (start === undefined) return invalidCursor();
  const page: CheckPage = { mismatches: [], looked_at: 0, next_cursor: null };
  try {
    const client = deps.gateway.client();
    const next = await client.withDeadline(Date.now() + DEADLINE_MS, () => walk(deps, order, steps, start, page));
    return { ...page, next_cursor: next === undefined ? null : encodeTextCursor([next.step, next.after]) };
  } catch (error) {
    if (isTemporalAway(error)) return temporalAway();
    if (error instanceof UnknownPosition) return invalidCursor();
    throw error;
  }
}

/** Runs steps until a mismatch is found or the time is up. @returns the start of the next page */
async function walk(
  deps: CheckDeps,
  order: CheckOrder,
  steps: readonly CheckStep[],
  start: CheckPosition,
  page: CheckPage,
): Promise<CheckPosition | undefined> {
  const { actor, hungUp } = order;
  const until = performance.now() + WORKS_MS;
  let position: CheckPosition | undefined = start;
  while (position !== undefined && page.mismatches.length === 0 && performance.now() < until && !hungUp.aborted) {
    const { step: name, after }: CheckPosition = position;
    const index = steps.findIndex((one) => one.name === name);
    const { mismatches, compared, next } = await steps[index]!.comparePage(
      after,
      actor === undefined ? PAGE_SIZE : REPAIR_PAGE_SIZE,
    );
    page.looked_at += compared;
    for (const one of mismatches) {
      if (hungUp.aborted) return undefined;
      page.mismatches.push(await repairOrReport(deps, one, order));
    }
    const following = steps[index + 1]?.name;
    if (next !== undefined) position = { step: name, after: next };
    else position = following === undefined ? undefined : { step: following, after: '' };
  }
  return position;
}

async function repairOrReport(deps: CheckDeps, one: Mismatch, { actor, kinds }: CheckOrder): Promise<MismatchView> {
  const { repair, kind, subject, accounts } = one;
  const isWanted = kinds?.has(kind) ?? true;
  if (repair === undefined || actor === undefined || !isWanted) return viewOfMismatch(one, null);
  // Record each repair before it is made, so that none is unrecorded.
  await deps.database.transaction(async (em) => {
    await recordAudit(em, actor, { action: 'check.mended', subject: `checks/${kind}`, after: { subject, accounts } });
    await repair.store?.(em);
  });
  try {
    await repair.act?.();
  } catch (error) {
    // The run has ended meanwhile.
    if (!isNotFound(error)) throw error;
  }
  await sleep(PAUSE_MS);
  return viewOfMismatch(one, 'mended');
}

function startOf(steps: readonly CheckStep[], cursor: string | undefined): CheckPosition | undefined {
  if (!cursor) return { step: steps[0]!.name, after: '' };
  const [name, after, ...others] = decodeTextCursor(cursor) ?? [];
  const step = steps.find((one) => one.name === name);
  if (step === undefined || after === undefined || others.length > 0) return undefined;
  if (after.length > POSITION_LENGTH_MAX || after.includes('\0')) return undefined;
  return after === '' || (step.isPosition?.(after) ?? true) ? { step: step.name, after } : undefined;
}

function temporalAway(): Refused {
  return refuse('service_unavailable', {
    detail: 'Temporal is unavailable, so nothing can be compared. Retry later.',
    retryAfterSeconds: 5,
  });
}

const CALLS_AT_ONCE = 16;
/** Pages are short, because Temporal is queried for each run: its lists lag. */
const PAGE_MAX = 200;

/** Work whose run should be open: all items except those of switches that are worked off in pages. */
function expectedRunsStep(deps: CheckDeps): CheckStep {
  return { name: 'work-items', comparePage: (after, limit) => comparePage(deps, after, Math.min(limit, PAGE_MAX)) };
}

async function comparePage(deps: CheckDeps, after: string, limit: number): Promise<ComparedPage> {
  const page = await findExpectingWork(deps.database, after, limit);
  const client = deps.gateway.client();
  // An unreachable switch has no run before its next try, which is scheduled a day later.
  const expecting = page.filter(({ isScheduled, state }) => !isScheduled && state !== 'unreachable');
  const lacking: ExpectingWork[] = [];
  await pMap(
    expecting,
    async (work) => {
      if ((await findOpenRun(client, work.workflowId)) === undefined) lacking.push(work);
    },
    { concurrency: CALLS_AT_ONCE },
  );
  const found = (await stillKnown(deps, lacking)).map((work) => withoutRun(deps, work));
  return keyedPage(page, limit, ({ workflowId }) => workflowId, found);
}

/** Omits work completed since the page was read. */
async function stillKnown(deps: CheckDeps, lacking: readonly ExpectingWork[]): Promise<ExpectingWork[]> {
  if (lacking.length === 0) return [];
  const known = await findKnownWork(
    deps.database,
    lacking.map(({ workflowId }) => workflowId),
  );
  return lacking.filter(({ workflowId }) => known.has(workflowId));
}

function withoutRun(deps: CheckDeps, work: ExpectingWork): Mismatch {
  return {
    kind: 'work_item_without_run',
    subject: work.workflowId,
    accounts: accountsIn(work.input),
    since: work.createdAt,
    detail: `Temporal has no open run for it. The dispatcher starts one after ${work.startAt.toISOString()}.`,
    repair: { act: () => startWorkItem(deps, work) },
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type Finder = (after: string, limit: number) => Promise<UnfinishedState[]>;

/** Open states in Postgres: each must have a work item, written in the same transaction. */
function unfinishedSteps(deps: CheckDeps): CheckStep[] {
  const { database, settings } = deps;
  const byId = (name: string, find: Finder): CheckStep => ({
    ...stepOf(deps, name, (after, limit) => find(after || BEFORE_ALL, limit)),
    isPosition: (after) => UUID.test(after),
  });
  return [
    byId('jobs', (after, limit) => findUnfinishedJobs(database, after, limit)),
    byId('waves', (after, limit) => findUnfinishedWaves(database, after, limit)),
    byId('reconciliations', (after, limit) => findUnfinishedReconciliations(database, after, limit)),
    byId('withdrawals', (after, limit) => findUnfinishedWithdrawals(database, after, limit)),
    byId('bulk-actions', (after, limit) => findUnfinishedBulkActions(database, after, limit)),
    byId('batches', (after, limit) => findUnfinishedBatches(database, after, limit)),
    stepOf(deps, 'look-ups', (after, limit) => findUnfinishedLookups(database, after, limit)),
    stepOf(deps, 'verifications', (after, limit) =>
      findUnfinishedVerifications(database, after, limit, settings.PAYMENT_BUDGET_MS),
    ),
    stepOf(deps, 'switches', (after, limit) => findUnfinishedSwitches(database, after, limit)),
  ];
}

function stepOf(deps: CheckDeps, name: string, find: Finder): CheckStep {
  return {
    name,
    comparePage: async (after, limit) => {
      const states = await find(after, limit);
      const found = states.filter(({ hasWork }) => !hasWork).map((state) => withoutWork(deps, state));
      return keyedPage(states, limit, ({ key }) => key, found);
    },
  };
}

function withoutWork(deps: CheckDeps, { work, since }: UnfinishedState): Mismatch {
  return {
    kind: 'open_without_work_item',
    subject: work.workflowId,
    accounts: accountsIn(work.input),
    since,
    detail: 'It is open in the database, but has no work item.',
    repair: { store: (em) => enqueueWork(em, [work]), act: () => startWorkItem(deps, work) },
  };
}
