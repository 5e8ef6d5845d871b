import { sql } from 'kysely';
import { emOf, kyselyOf, type Queryable } from '../database/prepared-query.ts';
import { WorkItem as StoredWork } from './work-item.entity.ts';
import { hasRun, selectWork, type PendingWork, type WorkItem, workItemIdSql } from './work-item.store.ts';

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

/** A table of states that need a work item until they have ended, with the columns id, import_supplier and status. */
export interface UnfinishedTable {
  table: string;
  /** The column with the time since when a state is open. */
  since: 'created_at' | 'started_at';
  /** The statuses of open states. */
  statuses: readonly string[];
  /** The id of its run, without the id of the state. */
  workflowIdPrefix: string;
  workOf(state: { id: string; importSupplier: string }): WorkItem;
}

/** Lists open states of a table after the id `after`, with whether they have work. */
export async function findUnfinishedOf(
  on: Queryable,
  { table, since, statuses, workflowIdPrefix, workOf }: UnfinishedTable,
  after: string,
  limit: number,
): Promise<UnfinishedState[]> {
  const workItemId = sql.raw(workItemIdSql(`'${workflowIdPrefix}' || s.id`));
  const { rows } = await sql<{ id: string; importSupplier: string; since: Date | null; hasWork: boolean }>`
    select s.id, s.import_supplier as "importSupplier", ${sql.ref(`s.${since}`)} as since, (${workItemId}) is not null as "hasWork"
    from ${sql.table(table)} s
    where s.status in (${sql.join(statuses)}) and s.id > ${after}
    order by s.id limit ${limit}`.execute(kyselyOf<object>(on));
  return rows.map(({ id, importSupplier, ...state }) => ({ ...state, key: id, work: workOf({ id, importSupplier }) }));
}

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
