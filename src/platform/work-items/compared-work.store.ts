import { sql } from 'kysely';
import { emOf, type Queryable } from '../database/prepared-query.ts';
import { WorkItem as StoredWork } from './work-item.entity.ts';
import { hasRun, selectWork, type PendingWork, type WorkItem } from './work-item.store.ts';

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

/** Three rounds of the dispatcher. Newer or more recently due work may be about to start. */
const SCHEDULED_SECONDS = 90;

/** Work that should have a run. */
export interface ExpectingWork extends PendingWork {
  /** Whether its run may be about to start, or is not needed because a page of a job holds the work. */
  isScheduled: boolean;
}

/** Returns a page of the work that should have a run, by workflow id: all except switches that are worked off in pages. */
export function findExpectingWork(on: Queryable, after: string, limit: number): Promise<ExpectingWork[]> {
  const recently = sql<Date>`now() - make_interval(secs => ${SCHEDULED_SECONDS})`;
  return selectWork(on)
    .select(
      sql<boolean>`created_at > ${recently} or start_at between ${recently} and now() or coalesce(held_until > now(), false)`.as(
        'isScheduled',
      ),
    )
    .where(hasRun)
    .where('workflow_id', '>', after)
    .orderBy('workflow_id')
    .limit(limit)
    .execute();
}

/** Returns the given workflow ids that have pending work. */
export async function findKnownWork(on: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  const known = await emOf(on).find(StoredWork, { workflowId: [...workflowIds] }, { fields: ['workflowId'] });
  return new Set(known.map(({ workflowId }) => workflowId));
}
