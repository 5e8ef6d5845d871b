import { run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';
import { workOf, type WorkItem, type WorkItemRow } from './work-item.store.ts';

const PENDING: PreparedQuery = {
  name: 'work-item-pending',
  text: `
    select workflow_id, kind, input, state, created_at, start_at, cause, failure, failing_since from work_item
    where (cause is not null or kind <> 'switch-supplier' or state in ('unreachable', 'silent') or start_at < now() - make_interval(secs => $3)) and ($2::text is null or $2 in (input ->> 'externalAccountNumber', (input ->> 'importSupplier') || '/' || (input ->> 'externalAccountNumber')))
    order by cause is null, coalesce(failing_since, created_at) limit $1`,
};

/** A switch normally waits for its date, the dispatcher or messages. It is listed only if it is overdue by this time. */
const SWITCH_OVERDUE_SECONDS = 600;

/** A work item with its times. */
export interface PendingWorkItem extends WorkItem {
  createdAt: Date;
  /** When the dispatcher checks it next. */
  startAt: Date;
  /** Failure of its run, as reported by the worker. */
  failing: { cause: string; message: string; since: Date } | undefined;
}

/** Returns pending work, oldest first. `account` filters by external number or `<supplier>/<number>`. */
export async function findWorkItems(
  database: Queryable,
  limit: number,
  account: string | undefined,
): Promise<PendingWorkItem[]> {
  const rows = await run<PendingRow>(database, PENDING, [limit, account ?? null, SWITCH_OVERDUE_SECONDS]);
  return rows.map((row) => ({
    ...workOf(row),
    createdAt: row.created_at,
    startAt: row.start_at,
    failing:
      row.cause === null || row.failing_since === null
        ? undefined
        : { cause: row.cause, message: row.failure ?? '', since: row.failing_since },
  }));
}

interface PendingRow extends WorkItemRow {
  created_at: Date;
  start_at: Date;
  cause: string | null;
  failure: string | null;
  failing_since: Date | null;
}
