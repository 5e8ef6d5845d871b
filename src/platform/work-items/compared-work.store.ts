import { run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';
import type { PendingWorkItem } from './pending-work.store.ts';
import type { WorkItem } from './work-item.store.ts';

/** An open state that needs a work item, for the consistency check. */
export interface UnfinishedState {
  /** Its key in page order. */
  key: string;
  since: Date | null;
  /** The work item that it should have. */
  work: WorkItem;
  hasWork: boolean;
}

/**
 * Columns of a query for a page of open states, besides the columns from which its capability builds the work item. `hasWork` must be a
 * scalar subquery: for `exists` the planner may hash the whole table.
 */
export interface UnfinishedRow extends Record<string, unknown> {
  key: string;
  since: Date | null;
  hasWork: boolean;
}

/** Converts rows to states. */
export const unfinishedState =
  <Row extends UnfinishedRow>(workOf: (row: Row) => WorkItem) =>
  (row: Row): UnfinishedState => ({ key: row.key, since: row.since, hasWork: row.hasWork, work: workOf(row) });

// Repeats the condition of the index work_item_expecting_run, which excludes switches that wait for their date.
const EXPECTING: PreparedQuery = {
  name: 'work-item-expecting-run',
  text: `
    select workflow_id as "workflowId", kind, input, state, created_at as "createdAt", start_at as "startAt",
      created_at > now() - make_interval(secs => $3) or start_at between now() - make_interval(secs => $3) and now() as "isScheduled"
    from work_item where (kind <> 'switch-supplier' or step_scheduled_at is not null) and workflow_id > $1
    order by workflow_id limit $2`,
};

const KNOWN: PreparedQuery = {
  name: 'work-item-known',
  text: 'select workflow_id as "workflowId" from work_item where workflow_id = any($1::text[])',
};

/** Three rounds of the dispatcher. Newer or more recently due work may be about to start. */
const SCHEDULED_SECONDS = 90;

/** Work that should have a run. */
export interface ExpectingWork extends PendingWorkItem {
  /** Whether its run may be about to start. */
  isScheduled: boolean;
}

/** Returns a page of the work that should have a run, by workflow id: all except switches that have not begun. */
export function findExpectingWork(on: Queryable, after: string, limit: number): Promise<ExpectingWork[]> {
  return run<ExpectingWork & Record<string, unknown>>(on, EXPECTING, [after, limit, SCHEDULED_SECONDS]);
}

/** Returns the given workflow ids that have pending work. */
export async function findKnownWork(on: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  const rows = await run<{ workflowId: string }>(on, KNOWN, [workflowIds]);
  return new Set(rows.map(({ workflowId }) => workflowId));
}
