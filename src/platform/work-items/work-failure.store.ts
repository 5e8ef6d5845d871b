import { sql } from 'kysely';
import { emOf, kyselyOf, type Queryable } from '../database/prepared-query.ts';
import { WorkItem, type WorkItemTable, type WorkState } from './work-item.entity.ts';

/** Why a run fails, and the party that has to recover. */
export interface WorkFailure {
  cause: string;
  party: string;
  /** Without data of the party or the client. */
  message: string;
}

/** Stores why the run of a work item fails. No effect if there is no such item. */
export async function noteFailure(
  on: Queryable,
  workflowId: string,
  { cause, party, message }: WorkFailure,
): Promise<void> {
  await kyselyOf<WorkItemTable>(on)
    .updateTable('work_item')
    .set({ cause, party, failure: message, failing_since: sql<Date>`coalesce(failing_since, now())` })
    .where('workflow_id', '=', workflowId)
    // Skips rows with the same cause, because thousands of runs fail repeatedly during an outage.
    .where((is) => is.or([is('cause', 'is distinct from', cause), is('party', 'is distinct from', party)]))
    .execute();
}

/** Removes the cause after a step of the run has succeeded, or an operator has retried it. */
export async function noteRecovery(on: Queryable, workflowId: string): Promise<void> {
  const none = { cause: null, party: null, failure: null, failingSince: null };
  await emOf(on).nativeUpdate(WorkItem, { workflowId, cause: { $ne: null } }, none);
}

/** Stuck work with the same cause and party. */
export interface StuckCount {
  cause: string;
  party: string;
  count: number;
  oldest: Date;
}

/** Counts work whose run fails or that needs an operator, by cause and party. */
export function countFailing(on: Queryable): Promise<StuckCount[]> {
  const isDelivery = sql`kind = 'deliver-events'`;
  const cause = sql<string>`case when ${isDelivery} then 'receiver_unreachable' else 'industry_switch_' || state end`;
  const party = sql<string>`case when ${isDelivery} then 'receiver' else 'industry-switch' end`;
  // Each part of the condition is that of an index.
  return kyselyOf<WorkItemTable>(on)
    .selectFrom('work_item')
    .select((of) => [
      of.fn.coalesce('cause', cause).as('cause'),
      of.fn.coalesce('party', party).as('party'),
      sql<number>`count(*)::integer`.as('count'),
      of.fn.min(of.fn.coalesce('failing_since', 'created_at')).as('oldest'),
    ])
    .where((is) =>
      is.or([
        is('cause', 'is not', null),
        is('state', 'in', [sql.lit<WorkState>('unreachable'), sql.lit<WorkState>('silent')]),
      ]),
    )
    .groupBy([sql`1`, sql`2`])
    .execute();
}
