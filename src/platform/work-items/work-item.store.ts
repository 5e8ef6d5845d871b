import type { EntityManager } from '@mikro-orm/postgresql';
import type { RunKind } from '../../../temporal.config.ts';
import { traceparentOf } from '../../vocabulary/traceparent.ts';
import { run, type Queryable, type PreparedQuery } from '../database/prepared-query.ts';
import { activeSpan } from '../traces/traces.ts';

/** Kinds of work items, each with a workflow. */
type WorkKind = Exclude<RunKind, 'create-accounts'>;

export interface WorkItem {
  workflowId: string;
  kind: WorkKind;
  /** Sole argument of the workflow: keys and codes only. */
  input: unknown;
  /** `signalled`: its run has to read new input. Otherwise how the last run ended without completing the work. */
  state?: WorkState | null;
  /** Trace in which it was enqueued (W3C Trace Context), for the dispatcher. */
  traceparent?: string | null;
}

type WorkState = 'signalled' | 'unreachable' | 'silent';

// An existing row is not changed, but locked until the commit: a run that is about to end waits for it (lockWork).
const ENQUEUE: PreparedQuery = {
  name: 'work-item-enqueue',
  text: `
    insert into work_item (workflow_id, kind, input, start_at, traceparent)
    select n.workflow_id, n.kind, n.input, now() + make_interval(secs => $4), $5
    from unnest($1::text[], $2::text[], $3::jsonb[]) as n (workflow_id, kind, input)
    order by 1
    on conflict (workflow_id) do update set kind = excluded.kind`,
};

const SIGNAL: PreparedQuery = {
  name: 'work-item-signal',
  text: `
    insert into work_item (workflow_id, kind, input, start_at, state, traceparent)
    select n.workflow_id, n.kind, n.input, now() + make_interval(secs => $4), 'signalled', $5
    from unnest($1::text[], $2::text[], $3::jsonb[]) as n (workflow_id, kind, input)
    order by 1
    on conflict (workflow_id) do update set start_at = least(work_item.start_at, excluded.start_at), state = 'signalled'`,
};

const FORGET_SIGNAL: PreparedQuery = {
  name: 'work-item-forget-signal',
  text: "update work_item set state = null where workflow_id = $1 and state = 'signalled'",
};

const LOCK: PreparedQuery = {
  name: 'work-item-lock',
  text: `
    select coalesce(step_scheduled_at > to_timestamp($2::float8 / 1000), false) as "isLate"
    from work_item where workflow_id = $1 for update`,
};

const COMPLETE: PreparedQuery = {
  name: 'work-item-complete',
  text: `
    with held as (select workflow_id from work_item where workflow_id = any($1::text[]) order by 1 for update)
    delete from work_item u using held where u.workflow_id = held.workflow_id returning 1`,
};

const DEFER: PreparedQuery = {
  name: 'work-item-defer',
  text: `
    update work_item set start_at = now() + make_interval(secs => $2)
    where workflow_id = any($1::text[]) and not ($3 and state is not distinct from 'signalled')
    returning workflow_id`,
};

// Steps and their attempts are compared by the time at which Temporal scheduled them, which comes from one clock.
const END_STEP: PreparedQuery = {
  name: 'work-item-end-step',
  text: `
    update work_item set start_at = now() + make_interval(secs => $3), state = $4, cause = null, party = null, failure = null, failing_since = null, step_scheduled_at = to_timestamp($2::float8 / 1000)
    where workflow_id = $1 and ($4::text is null or state is distinct from 'signalled')
      and (step_scheduled_at is null or step_scheduled_at <= to_timestamp($2::float8 / 1000))`,
};

/** Due work that meets a condition, oldest first. */
const due = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `select workflow_id, kind, input, state, traceparent from work_item where start_at <= now() and ${condition} order by start_at limit $1`,
});
/** Time in which the process that enqueues work can start it before the dispatcher does. */
const HEAD_START_SECONDS = 30;
/** New work is due at the end of its head start; work that was started before is due later. */
const IS_NEW = `(state is not distinct from 'signalled' or start_at <= created_at + interval '${HEAD_START_SECONDS + 1} seconds')`;
// The first part repeats the condition of the index work_item_priority.
const DUE_NEW = due('work-item-due-new', `(kind <> 'switch-supplier' or state = 'signalled') and ${IS_NEW}`);
const DUE_AGAIN = due('work-item-due-again', `(kind <> 'switch-supplier' or state = 'signalled') and not ${IS_NEW}`);
const DUE_SWITCHES = due('work-item-due-switches', "kind = 'switch-supplier' and state is distinct from 'signalled'");

const COUNT_DUE: PreparedQuery = {
  name: 'work-item-count-due',
  text: 'select kind, count(*)::integer as due, min(start_at) as oldest from work_item where start_at <= now() group by kind order by kind',
};

const ONE: PreparedQuery = {
  name: 'work-item-one',
  text: 'select workflow_id, kind, input, state from work_item where workflow_id = $1',
};

function columnsOf(works: readonly WorkItem[]): unknown[] {
  return [
    works.map(({ workflowId }) => workflowId),
    works.map(({ kind }) => kind),
    works.map(({ input }) => JSON.stringify(input)),
  ];
}

/** Assigns the run to the current trace, whichever process starts it. */
function tracedBy(): string | null {
  const traceContext = activeSpan()?.traceContext;
  return traceContext?.isSampled ? traceparentOf(traceContext) : null;
}

/**
 * Enqueues work in the transaction of the state it belongs to. Existing work is locked but not changed.
 * @param headStartSeconds 0 if only the dispatcher starts it
 */
export async function enqueueWork(
  on: Queryable,
  works: readonly WorkItem[],
  headStartSeconds = HEAD_START_SECONDS,
): Promise<void> {
  if (works.length > 0) await run(on, ENQUEUE, [...columnsOf(works), headStartSeconds, tracedBy()]);
}

/**
 * SQL that enqueues the rows of a select.
 * @param select with the columns workflow id, kind, input, start time and state; must not return enqueued work
 */
export const enqueueWorkSql = (select: string): string =>
  `insert into work_item (workflow_id, kind, input, start_at, state) ${select}`;

/**
 * Signals work in the transaction that stores its input: its run must read the input, and is started if it does not exist.
 * @param headStartSeconds 0 if only the dispatcher signals it
 */
export async function signalWork(
  on: Queryable,
  works: readonly WorkItem[],
  headStartSeconds = HEAD_START_SECONDS,
): Promise<void> {
  if (works.length > 0) await run(on, SIGNAL, [...columnsOf(works), headStartSeconds, tracedBy()]);
}

/** Clears the signal before the run reads its input, in a transaction that commits before the read. A later signal is kept. */
export async function forgetSignal(on: Queryable, workflowId: string): Promise<void> {
  await run(on, FORGET_SIGNAL, [workflowId]);
}

/**
 * Locks work before its state is read. Enqueuing and signaling write the row in the transaction of that state: the state is either visible
 * after the lock, or the row is written again after its completion.
 * @param scheduledAtMs when the current step of its run was scheduled
 * @returns undefined if there is no such work; `isLate` if a later step has written the row
 */
export async function lockWork(
  em: EntityManager,
  workflowId: string,
  scheduledAtMs: number,
): Promise<{ isLate: boolean } | undefined> {
  const [row] = await run<{ isLate: boolean }>(em, LOCK, [workflowId, scheduledAtMs]);
  return row;
}

/**
 * Removes work in the transaction that completes it or finds it unnecessary. Unknown ids are ignored.
 * @returns the number of removed items
 */
export async function completeWork(em: EntityManager, workflowIds: readonly string[]): Promise<number> {
  return workflowIds.length === 0 ? 0 : (await run(em, COMPLETE, [workflowIds])).length;
}

/**
 * Defers work until the dispatcher checks it again.
 * @param options.unlessSignalled keeps the earlier time of signaled work
 * @returns the ids of the deferred work, without completed work
 */
export async function deferWork(
  em: EntityManager,
  workflowIds: readonly string[],
  seconds: number,
  options: { unlessSignalled?: boolean } = {},
): Promise<string[]> {
  const rows = await run<{ workflow_id: string }>(em, DEFER, [workflowIds, seconds, options.unlessSignalled ?? false]);
  return rows.map(({ workflow_id: workflowId }) => workflowId);
}

/** State of work after a step of its run. */
export interface StepEnd {
  workflowId: string;
  /** When the step was scheduled. A step that is earlier than the last one changes nothing. */
  scheduledAtMs: number;
  /** Delay until the dispatcher checks the work again. */
  seconds: number;
  /** Why it is pending. Null: no problem, and the step has read all signals. A new signal takes precedence over other reasons. */
  state: 'unreachable' | 'silent' | null;
}

/** Defers work after a step of its run. No effect if a later step has already ended, for example after the worker was suspended. */
export async function endStep(
  em: EntityManager,
  { workflowId, scheduledAtMs, seconds, state }: StepEnd,
): Promise<void> {
  await run(em, END_STEP, [workflowId, scheduledAtMs, seconds, state]);
}

/** Work that is due for the first time or was signaled, so that a caller waits for it; oldest first, without unsignaled switches. */
export async function newWork(database: Queryable, limit: number): Promise<WorkItem[]> {
  return (await run<WorkItemRow>(database, DUE_NEW, [limit])).map(workOf);
}

/** Work that was started before and is due again, in case its run could not be started or was lost; oldest first, without switches. */
export async function workAgain(database: Queryable, limit: number): Promise<WorkItem[]> {
  return (await run<WorkItemRow>(database, DUE_AGAIN, [limit])).map(workOf);
}

/** Due switches, oldest first. */
export async function dueSwitches(database: Queryable, limit: number): Promise<WorkItem[]> {
  return (await run<WorkItemRow>(database, DUE_SWITCHES, [limit])).map(workOf);
}

export interface DueKind {
  kind: WorkKind;
  due: number;
  oldestDueAt: Date;
}

export async function countDueWork(database: Queryable): Promise<DueKind[]> {
  const rows = await run<{ kind: WorkKind; due: number; oldest: Date }>(database, COUNT_DUE, []);
  return rows.map(({ kind, due: count, oldest }) => ({ kind, due: count, oldestDueAt: oldest }));
}

/**
 * SQL for views that show the run of a row: its id if work is pending, otherwise no row.
 * @param workflowIdSql an expression
 */
export const workItemIdSql = (workflowIdSql: string): string =>
  `select w.workflow_id from work_item w where w.workflow_id = ${workflowIdSql}`;

/** Returns the pending work with this workflow id, if any. */
export async function findWorkItem(database: Queryable, workflowId: string): Promise<WorkItem | undefined> {
  const [row] = await run<WorkItemRow>(database, ONE, [workflowId]);
  return row && workOf(row);
}

export interface WorkItemRow extends Record<string, unknown> {
  workflow_id: string;
  kind: WorkKind;
  input: unknown;
  state: WorkState | null;
  traceparent?: string | null;
}

/** Converts a row. */
export function workOf({ workflow_id: workflowId, kind, input, state, traceparent }: WorkItemRow): WorkItem {
  return { workflowId, kind, input, state, ...(traceparent ? { traceparent } : {}) };
}
