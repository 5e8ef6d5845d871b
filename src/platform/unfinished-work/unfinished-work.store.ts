import type { RunKind } from '../../../temporal.config.ts';
import type { Queryable, Statement } from '../database/database.ts';

/** Kinds of work that a committed state can owe; its workflow is what the sweeper starts. */
export type WorkKind = Exclude<RunKind, 'create-accounts'>;

export interface OwedWork {
  workflowId: string;
  kind: WorkKind;
  /** Sole argument of the workflow; keys and codes only. */
  input: unknown;
}

const OWE: Statement = {
  name: 'unfinished-work-owe',
  text: 'insert into unfinished_work (workflow_id, kind, input, start_at) values ($1, $2, $3, now() + make_interval(secs => $4)) on conflict (workflow_id) do nothing',
};

const DUE: Statement = {
  name: 'unfinished-work-due',
  text: 'select workflow_id, kind, input from unfinished_work where start_at <= now() order by start_at limit $1',
};

const WAITING: Statement = {
  name: 'unfinished-work-waiting',
  text: `
    select workflow_id, kind, input, created_at, start_at from unfinished_work
    where $2::text is null or $2 in (input ->> 'externalAccountNumber', (input ->> 'importSupplier') || '/' || (input ->> 'externalAccountNumber'))
    order by created_at limit $1`,
};

const ONE: Statement = { name: 'unfinished-work-one', text: 'select workflow_id, kind, input from unfinished_work where workflow_id = $1' };

const LOOK_AGAIN: Statement = {
  name: 'unfinished-work-look-again',
  text: 'update unfinished_work set start_at = now() + make_interval(secs => $2) where workflow_id = $1',
};

/** Time that the process which owes the work has to start it itself before the sweeper does. */
const HEAD_START_SECONDS = 30;

/** Writes down, in the transaction of the state it belongs to, that a workflow must run. */
export async function oweWork(tx: Queryable, work: OwedWork): Promise<void> {
  await tx.run(OWE, [work.workflowId, work.kind, JSON.stringify(work.input), HEAD_START_SECONDS]);
}

/** Work whose time has come, oldest first. */
export async function dueWork(database: Queryable, limit: number): Promise<OwedWork[]> {
  const rows = await database.run<{ workflow_id: string; kind: WorkKind; input: unknown }>(DUE, [limit]);
  return rows.map((row) => ({ workflowId: row.workflow_id, kind: row.kind, input: row.input }));
}

/** Puts off the next look at a workflow that runs. */
export async function lookAgainLater(database: Queryable, workflowId: string, seconds: number): Promise<void> {
  await database.run(LOOK_AGAIN, [workflowId, seconds]);
}

/** Owed work with its times. */
export interface WaitingWork extends OwedWork {
  createdAt: Date;
  /** When the sweeper looks at it next. */
  startAt: Date;
}

/** All that is owed, oldest first; `account` narrows it down to an external number, or `<supplier>/<number>`. */
export async function findOwed(database: Queryable, limit: number, account: string | undefined): Promise<WaitingWork[]> {
  const rows = await database.run<{ workflow_id: string; kind: WorkKind; input: unknown; created_at: Date; start_at: Date }>(WAITING, [limit, account ?? null]);
  return rows.map((row) => ({ workflowId: row.workflow_id, kind: row.kind, input: row.input, createdAt: new Date(row.created_at), startAt: new Date(row.start_at) }));
}

/** The work owed under this workflow id, if there is any. */
export async function findOwedByWorkflow(database: Queryable, workflowId: string): Promise<OwedWork | undefined> {
  const [row] = await database.run<{ workflow_id: string; kind: WorkKind; input: unknown }>(ONE, [workflowId]);
  return row && { workflowId: row.workflow_id, kind: row.kind, input: row.input };
}
