import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type ExpressionBuilder, type RawBuilder } from 'kysely';
import { dispatchPace, wakeSignalOfKind } from '../../../temporal.config.ts';
import { traceparentOf } from '../../vocabulary/trace-header.ts';
import { emOf, kyselyOf, run, type Queryable, type PreparedQuery } from '../database/prepared-query.ts';
import { activeSpan } from '../traces/traces.ts';
import { WorkItem as StoredWork, type WorkItemTable, type WorkKind, type WorkState } from './work-item.entity.ts';

export interface WorkItem {
  workflowId: string;
  kind: WorkKind;
  /** Sole argument of the workflow: keys and codes only. */
  input: unknown;
  /** `signalled`: its run has to read new input. Otherwise how the last run ended without completing the work. */
  state?: WorkState | null;
  /** Whether it has a run of its own, although its kind is worked off in pages (`pageRunOfKind`). */
  runsAlone?: boolean;
  /** Trace in which it was enqueued (W3C Trace Context), for the dispatcher. */
  traceparent?: string | null;
}

/** A work item with its times, and the failure of its run as reported by the worker. */
export interface PendingWork extends WorkItem {
  createdAt: Date;
  /** When the dispatcher checks it next. */
  startAt: Date;
  cause: string | null;
  failure: string | null;
  failingSince: Date | null;
}

const writeWork = (name: string, state: string, onConflict: string): PreparedQuery => ({
  name,
  text: `
    insert into work_item (workflow_id, kind, input, start_at, state, traceparent)
    select n.workflow_id, n.kind, n.input, now() + make_interval(secs => $4), ${state}, $5
    from unnest($1::text[], $2::text[], $3::jsonb[]) as n (workflow_id, kind, input)
    order by 1
    on conflict (workflow_id) do update set ${onConflict}
    returning workflow_id as "workflowId", runs_alone as "runsAlone"`,
});
// An existing row is not changed, but locked until the commit: a run that is about to end waits for it (lockWork).
const ENQUEUE = writeWork('work-item-enqueue', 'null', 'kind = excluded.kind');
const SIGNAL = writeWork(
  'work-item-signal',
  "'signalled'",
  "start_at = least(work_item.start_at, excluded.start_at), state = 'signalled'",
);

/** Time in which the process that enqueues work can start it before the dispatcher does. */
const HEAD_START_SECONDS = 30;

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

const HOLD: PreparedQuery = {
  name: 'work-item-hold',
  text: `
    insert into work_item (workflow_id, kind, input, start_at, held_until)
    select n.workflow_id, n.kind, n.input, now() + make_interval(secs => $4), now() + make_interval(secs => $4)
    from unnest($1::text[], $2::text[], $3::jsonb[]) as n (workflow_id, kind, input)
    order by 1
    on conflict (workflow_id) do update set start_at = excluded.start_at, held_until = excluded.held_until where work_item.held_until > now()`,
};

/**
 * Enqueues work that the caller does itself within this time, in the transaction of the state it belongs to. Afterwards the dispatcher starts
 * a run for it. Work that is held is held for longer; existing work that is not held is not changed.
 */
export async function holdWork(on: Queryable, works: readonly WorkItem[], seconds: number): Promise<void> {
  if (works.length > 0) await run(on, HOLD, [...columnsOf(works), seconds]);
}

/** Ends the hold of work that needs a run of its own. @returns the ids of the work whose run the caller has to start */
export async function releaseWork(on: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  if (workflowIds.length === 0) return new Set();
  const released = await kyselyOf<WorkItemTable>(on)
    .updateTable('work_item')
    .set({ held_until: null, start_at: later(HEAD_START_SECONDS) })
    .where('workflow_id', 'in', workflowIds)
    .where('held_until', 'is not', null)
    .returning('workflow_id')
    .execute();
  return new Set(released.map((one) => one.workflow_id));
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
 * @returns the signaled work, for `startWorkItem`
 */
export async function signalWork(
  on: Queryable,
  works: readonly WorkItem[],
  headStartSeconds = HEAD_START_SECONDS,
): Promise<WorkItem[]> {
  if (works.length === 0) return [];
  type Signalled = { workflowId: string; runsAlone: boolean };
  const signalled = await run<Signalled>(on, SIGNAL, [...columnsOf(works), headStartSeconds, tracedBy()]);
  const runsAlone = new Map(signalled.map((one) => [one.workflowId, one.runsAlone]));
  return works.map((work) => ({ ...work, state: 'signalled', runsAlone: runsAlone.get(work.workflowId) ?? false }));
}

const BEGIN = writeWork('work-item-begin', 'null', 'state = null, start_at = excluded.start_at');

/** Stores that the run of work is about to read its input: the work exists, and its signals are cleared. A later signal is kept. */
export async function beginWork(on: Queryable, work: WorkItem): Promise<void> {
  await run(on, BEGIN, [...columnsOf([work]), dispatchPace.retrySeconds, null]);
}

/**
 * Makes all work due that should have a run, and signals runs that read new input. For a database that was restored: runs may wait for
 * events that it no longer has, or may have ended with work that is open again.
 */
export async function wakeAllWork(em: EntityManager): Promise<void> {
  const reading = Object.keys(wakeSignalOfKind);
  await kyselyOf<WorkItemTable>(em)
    .with('held', (from) =>
      from
        .selectFrom('work_item')
        .select('workflow_id')
        .where(hasRun)
        .where('state', 'is', null)
        .orderBy('workflow_id')
        .forUpdate(),
    )
    .updateTable('work_item')
    .from('held')
    .set({
      start_at: sql<Date>`least(start_at, now())`,
      state: sql<WorkState | null>`case when kind = any(${reading}) then 'signalled' end`,
    })
    .whereRef('work_item.workflow_id', '=', 'held.workflow_id')
    .execute();
}

/** Clears the signal before the run reads its input, in a transaction that commits before the read. A later signal is kept. */
export async function forgetSignal(on: Queryable, workflowId: string): Promise<void> {
  await emOf(on).nativeUpdate(StoredWork, { workflowId, state: 'signalled' }, { state: null });
}

/**
 * Locks work before its state is read. Enqueuing and signaling write the row in the transaction of that state: the state is either visible
 * after the lock, or the row is written again after its completion.
 * @returns undefined if there is no such work
 */
export async function lockWork(
  em: EntityManager,
  workflowId: string,
): Promise<{ state: WorkState | null; runsAlone: boolean } | undefined> {
  return kyselyOf<WorkItemTable>(em)
    .selectFrom('work_item')
    .select(['state', 'runs_alone as runsAlone'])
    .where('workflow_id', '=', workflowId)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks work in the order of its ids. @returns the ids of the work that exists */
export async function lockWorks(em: EntityManager, workflowIds: readonly string[]): Promise<Set<string>> {
  if (workflowIds.length === 0) return new Set();
  const locked = await kyselyOf<WorkItemTable>(em)
    .selectFrom('work_item')
    .select('workflow_id')
    .where('workflow_id', 'in', workflowIds)
    .orderBy('workflow_id')
    .forUpdate()
    .execute();
  return new Set(locked.map((one) => one.workflow_id));
}

/**
 * Removes work in the transaction that completes it or finds it unnecessary. Unknown ids are ignored.
 * @returns the number of removed items
 */
export async function completeWork(em: EntityManager, workflowIds: readonly string[]): Promise<number> {
  if (workflowIds.length === 0) return 0;
  const { numDeletedRows } = await kyselyOf<WorkItemTable>(em)
    .with('held', (from) =>
      from
        .selectFrom('work_item')
        .select('workflow_id')
        .where('workflow_id', 'in', workflowIds)
        .orderBy('workflow_id')
        .forUpdate(),
    )
    .deleteFrom('work_item')
    .using('held')
    .whereRef('work_item.workflow_id', '=', 'held.workflow_id')
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

const later = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

/** Work that a dispatcher has claimed. */
export interface ClaimedWork extends WorkItem {
  /** When the claim ends and the work is due again: the stored time, with all its digits. */
  claimedUntil: string;
  /** Whether it was started before, so that its run is probably open. */
  wasStarted: boolean;
}

/** Claimed work and the time until the dispatcher checks it again. */
export interface DeferredWork extends Pick<ClaimedWork, 'workflowId' | 'state' | 'claimedUntil'> {
  seconds: number;
}

const DEFER: PreparedQuery = {
  name: 'work-item-defer',
  text: `
    with d as materialized (select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::float8[]) as d (workflow_id, state, claimed_until, seconds)),
    held as materialized (select w.workflow_id from work_item w where w.workflow_id = any($1::text[]) order by w.workflow_id for update)
    update work_item w set start_at = now() + make_interval(secs => d.seconds) from d join held using (workflow_id)
    where w.workflow_id = d.workflow_id and w.start_at = d.claimed_until and w.state is not distinct from d.state`,
};

/** Defers claimed work until the dispatcher checks it again, except work that has been signaled or rescheduled since the claim. */
export async function deferWork(on: Queryable, works: readonly DeferredWork[]): Promise<void> {
  if (works.length === 0) return;
  await run(on, DEFER, [
    works.map(({ workflowId }) => workflowId),
    works.map(({ state }) => state ?? null),
    works.map(({ claimedUntil }) => claimedUntil),
    works.map(({ seconds }) => seconds),
  ]);
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
  // Compared by the time at which Temporal scheduled the steps and their attempts, which comes from one clock.
  const scheduledAt = new Date(scheduledAtMs);
  const recovered = { cause: null, party: null, failure: null, failing_since: null };
  await kyselyOf<WorkItemTable>(em)
    .updateTable('work_item')
    .set({ start_at: later(seconds), state, step_scheduled_at: scheduledAt, ...recovered })
    .where('workflow_id', '=', workflowId)
    .$if(state !== null, (update) => update.where('state', 'is distinct from', 'signalled'))
    .where((is) => is.or([is('step_scheduled_at', 'is', null), is('step_scheduled_at', '<=', scheduledAt)]))
    .execute();
}

/** Selects work with its times and failure. */
export const selectWork = (on: Queryable) =>
  kyselyOf<WorkItemTable>(on)
    .selectFrom('work_item')
    .select(['workflow_id as workflowId', 'kind', 'input', 'state', 'traceparent', 'created_at as createdAt'])
    .select('runs_alone as runsAlone')
    .select(['start_at as startAt', 'cause', 'failure', 'failing_since as failingSince']);

type Is = ExpressionBuilder<WorkItemTable, 'work_item'>;
/** Work with a run: all except switches, which are worked off in pages. The condition of the index work_item_run. */
export const hasRun = (is: Is) =>
  is.or([is('kind', '<>', sql.lit('switch-supplier')), is('runs_alone', '=', sql.lit(true))]);

/** The conditions of the indexes work_item_run_new and work_item_run_again. New work is due at the end of its head start. */
const HAS_RUN = "(w.kind <> 'switch-supplier' or w.runs_alone)";
const IS_NEW = `${HAS_RUN} and (w.state is not distinct from 'signalled' or w.start_at - w.created_at <= interval '${HEAD_START_SECONDS + 1} seconds')`;
const IS_AGAIN = `${HAS_RUN} and w.state is distinct from 'signalled' and w.start_at - w.created_at > interval '${HEAD_START_SECONDS + 1} seconds'`;
/** Work without an import supplier has a share of its own. */
const SUPPLIER = "coalesce(w.input ->> 'importSupplier', '')";

/**
 * Claims due work, the oldest of each import supplier in equal shares. Work that another dispatcher claims is skipped. A claim ends soon, so
 * that work is due again if its dispatcher dies.
 */
const claim = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `
    with recursive s (code) as (
      (select ${SUPPLIER} from work_item w where ${condition} order by ${SUPPLIER} limit 1)
      union all
      select (select ${SUPPLIER} from work_item w where ${condition} and ${SUPPLIER} > s.code order by ${SUPPLIER} limit 1) from s where s.code is not null
    ), i as materialized (
      select s.code from s where (select true from work_item w where ${condition} and ${SUPPLIER} = s.code and w.start_at <= now() limit 1)
    ), c as materialized (
      select c.workflow_id from i cross join lateral (
        select w.workflow_id from work_item w where ${condition} and ${SUPPLIER} = i.code and w.start_at <= now()
        order by w.start_at limit (select ceil($1::float8 / count(*))::integer from i) for update skip locked) c
    )
    update work_item w set start_at = now() + make_interval(secs => $2) from c where w.workflow_id = c.workflow_id
    returning w.workflow_id as "workflowId", w.kind, w.input, w.state, w.traceparent, w.runs_alone as "runsAlone", w.start_at::text as "claimedUntil"`,
});
const CLAIM_NEW = claim('work-item-claim-new', IS_NEW);
const CLAIM_AGAIN = claim('work-item-claim-again', IS_AGAIN);

/** Limits of a claim: work of a page, the part reserved for work that was started before, and the time until the claim ends. */
interface ClaimLimits {
  pageSize: number;
  againMin: number;
  claimSeconds: number;
}

/**
 * Claims work to start: first work that is due for the first time or was signaled, because callers wait for it; then work that was started
 * before, in case its run could not be started or was lost. That is mostly running and may be thousands of items, so new work does not wait for
 * it; it always gets some starts. A page is larger by at most the number of import suppliers.
 */
export async function claimDueWork(
  on: Queryable,
  { pageSize, againMin, claimSeconds }: ClaimLimits,
): Promise<ClaimedWork[]> {
  type Row = Omit<ClaimedWork, 'wasStarted'> & Record<string, unknown>;
  const isNew = await run<Row>(on, CLAIM_NEW, [pageSize, claimSeconds]);
  const again = await run<Row>(on, CLAIM_AGAIN, [Math.max(pageSize - isNew.length, againMin), claimSeconds]);
  return [
    ...isNew.map((row) => ({ ...row, wasStarted: false })),
    ...again.map((row) => ({ ...row, wasStarted: true })),
  ];
}

/** The condition of the index work_item_due, for work of all import suppliers. */
const isDueBy = (time: RawBuilder<unknown>) =>
  sql<boolean>`start_at at time zone 'UTC' <= (${time}) at time zone 'UTC'`;

export interface DueKind {
  kind: WorkKind;
  due: number;
  oldestDueAt: Date;
}

export function countDueWork(database: Queryable): Promise<DueKind[]> {
  return kyselyOf<WorkItemTable>(database)
    .selectFrom('work_item')
    .select((is) => ['kind', sql<number>`count(*)::integer`.as('due'), is.fn.min('start_at').as('oldestDueAt')])
    .where(isDueBy(sql`now()`))
    .groupBy('kind')
    .orderBy('kind')
    .execute();
}

/**
 * SQL for views that show the run of a row: its id if work is pending, otherwise no row.
 * @param workflowIdSql an expression
 */
export const workItemIdSql = (workflowIdSql: string): string =>
  `select w.workflow_id from work_item w where w.workflow_id = ${workflowIdSql}`;

/** Returns the pending work with this workflow id, if any. */
export function findWorkItem(database: Queryable, workflowId: string): Promise<WorkItem | undefined> {
  return findPendingWork(database, workflowId);
}

/** The same with its times and failure. */
export function findPendingWork(database: Queryable, workflowId: string): Promise<PendingWork | undefined> {
  return selectWork(database).where('workflow_id', '=', workflowId).executeTakeFirst();
}

/** A switch normally waits for its date, its page or messages. It is listed only if it is overdue by this time. */
const SWITCH_OVERDUE_SECONDS = 600;

/** Returns pending work, oldest first. `account` filters by external number or `<supplier>/<number>`. */
export function findWorkItems(database: Queryable, limit: number, account: string | undefined): Promise<PendingWork[]> {
  return selectWork(database)
    .where((is) =>
      is.or([
        is('cause', 'is not', null),
        hasRun(is),
        is('state', 'in', [sql.lit<WorkState>('unreachable'), sql.lit<WorkState>('silent')]),
        isDueBy(sql`now() - make_interval(secs => ${SWITCH_OVERDUE_SECONDS})`),
      ]),
    )
    .$if(account !== undefined, (of) =>
      of.where(
        sql<boolean>`${account}::text in (input ->> 'externalAccountNumber', (input ->> 'importSupplier') || '/' || (input ->> 'externalAccountNumber'))`,
      ),
    )
    .orderBy((of) => of('cause', 'is', null))
    .orderBy((of) => of.fn.coalesce('failing_since', 'created_at'))
    .limit(limit)
    .execute();
}
