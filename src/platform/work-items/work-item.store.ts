import type { RunKind } from '../../../temporal.config.ts';
import type { Queryable, PreparedQuery } from '../database/database.ts';

/** Kinds of work that a committed state can owe; its workflow is what the dispatcher starts. */
export type WorkKind = Exclude<RunKind, 'create-accounts'>;

export interface WorkItem {
  workflowId: string;
  kind: WorkKind;
  /** Sole argument of the workflow; keys and codes only. */
  input: unknown;
  /** Why it is looked at: news its run has to read, or how the last run came to an end without settling it. */
  state?: WorkState | null;
}

type WorkState = 'news' | 'unreachable' | 'silent';

const ENQUEUE: PreparedQuery = {
  name: 'unfinished-work-owe',
  text: 'insert into unfinished_work (workflow_id, kind, input, start_at) values ($1, $2, $3, now() + make_interval(secs => $4)) on conflict (workflow_id) do nothing',
};

/** What is due of the work that fits a condition, oldest first. */
const due = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `select workflow_id, kind, input, state from unfinished_work where start_at <= now() and ${condition} order by start_at limit $1`,
});
// Written as the condition of the index unfinished_work_prompt.
const DUE_PROMPTLY = due('unfinished-work-due-promptly', "(kind <> 'switch-supplier' or state = 'news')");
const DUE_SWITCHES = due('unfinished-work-due-switches', "kind = 'switch-supplier' and state is distinct from 'news'");

const WAITING: PreparedQuery = {
  name: 'unfinished-work-waiting',
  text: `
    select workflow_id, kind, input, state, created_at, start_at from unfinished_work
    where (kind <> 'switch-supplier' or state in ('unreachable', 'silent') or start_at < now() - make_interval(secs => $3)) and ($2::text is null or $2 in (input ->> 'externalAccountNumber', (input ->> 'importSupplier') || '/' || (input ->> 'externalAccountNumber')))
    order by created_at limit $1`,
};

const ONE: PreparedQuery = {
  name: 'unfinished-work-one',
  text: 'select workflow_id, kind, input, state from unfinished_work where workflow_id = $1',
};

const SIGNAL: PreparedQuery = {
  name: 'unfinished-work-owe-news',
  text: `
    insert into unfinished_work (workflow_id, kind, input, start_at, state)
    select n.workflow_id, n.kind, n.input, now() + make_interval(secs => $4), 'news'
    from unnest($1::text[], $2::text[], $3::jsonb[]) as n (workflow_id, kind, input)
    order by 1
    on conflict (workflow_id) do update set start_at = least(unfinished_work.start_at, excluded.start_at), state = 'news'`,
};

/** A switch waits for its day, for its turn with the dispatcher or for messages, all of which is as it should be; only one that is overdue by this is told. */
const SWITCH_OVERDUE_SECONDS = 600;

/** Time that the process which owes the work has to start it itself before the dispatcher does. */
const HEAD_START_SECONDS = 30;

/** Writes down, in the transaction of the state it belongs to, that a workflow must run. */
export async function enqueueWork(tx: Queryable, work: WorkItem): Promise<void> {
  await tx.run(ENQUEUE, [work.workflowId, work.kind, JSON.stringify(work.input), HEAD_START_SECONDS]);
}

/** Work whose time has come and for which somebody waits, or that has news to read; oldest first. However many switches are due, they do not stand before it. */
export async function priorityWork(database: Queryable, limit: number): Promise<WorkItem[]> {
  return (await database.run<WorkItemRow>(DUE_PROMPTLY, [limit])).map(workOf);
}

/** Switches whose day has come, oldest first. */
export async function dueSwitches(database: Queryable, limit: number): Promise<WorkItem[]> {
  return (await database.run<WorkItemRow>(DUE_SWITCHES, [limit])).map(workOf);
}

interface WorkItemRow extends Record<string, unknown> {
  workflow_id: string;
  kind: WorkKind;
  input: unknown;
  state: WorkState | null;
}

function workOf({ workflow_id: workflowId, kind, input, state }: WorkItemRow): WorkItem {
  return { workflowId, kind, input, state };
}

/**
 * Writes down, with what brings the news, that the runs of these must look at it; they are started if they are not there.
 * @param headStartSeconds 0 where nobody but the dispatcher will tell them
 */
export async function signalWork(
  tx: Queryable,
  works: readonly WorkItem[],
  headStartSeconds = HEAD_START_SECONDS,
): Promise<void> {
  if (works.length === 0) return;
  await tx.run(SIGNAL, [
    works.map(({ workflowId }) => workflowId),
    works.map(({ kind }) => kind),
    works.map(({ input }) => JSON.stringify(input)),
    headStartSeconds,
  ]);
}

/** Owed work with its times. */
export interface PendingWorkItem extends WorkItem {
  createdAt: Date;
  /** When the dispatcher looks at it next. */
  startAt: Date;
}

/** All that is owed, oldest first; `account` narrows it down to an external number, or `<supplier>/<number>`. */
export async function findWorkItems(
  database: Queryable,
  limit: number,
  account: string | undefined,
): Promise<PendingWorkItem[]> {
  const rows = await database.run<WorkItemRow & { created_at: Date; start_at: Date }>(WAITING, [
    limit,
    account ?? null,
    SWITCH_OVERDUE_SECONDS,
  ]);
  return rows.map((row) => ({ ...workOf(row), createdAt: new Date(row.created_at), startAt: new Date(row.start_at) }));
}

/** The work owed under this workflow id, if there is any. */
export async function findWorkItem(database: Queryable, workflowId: string): Promise<WorkItem | undefined> {
  const [row] = await database.run<WorkItemRow>(ONE, [workflowId]);
  return row && workOf(row);
}
