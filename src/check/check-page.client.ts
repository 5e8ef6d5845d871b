import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import { decodeTextCursor, encodeTextCursor } from '../foundation/text-cursor.ts';
import { invalidCursor } from '../stuck/index.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { MismatchKind } from '../vocabulary/mismatches.ts';
import type { CheckPage, MismatchView } from './check.schema.ts';
import { viewOfMismatch, type CheckStep, type Mismatch, type CheckDeps } from './check-step.rules.ts';
import { unfinishedSteps } from './unfinished-states.client.ts';
import { expectedRunsStep } from './expected-runs.client.ts';
import { messagesStep, partitionsStep, quarantinedStep, slotsStep } from './left-over.client.ts';
import { runsWithoutWorkStep, UnknownPosition } from './runs-without-work.client.ts';

/** Parameters of one request. */
export interface CheckOrder {
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
