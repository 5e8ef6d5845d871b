import { run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';

/** Why a run fails, and the party that has to recover. */
export interface WorkFailure {
  cause: string;
  party: string;
  /** Without data of the party or the client. */
  message: string;
}

// Skips rows with the same cause, because thousands of runs fail repeatedly during an outage.
const FAILED: PreparedQuery = {
  name: 'work-item-failed',
  text: `
    update work_item set cause = $2, party = $3, failure = $4, failing_since = coalesce(failing_since, now())
    where workflow_id = $1 and (cause, party) is distinct from ($2, $3)`,
};

const RECOVERED: PreparedQuery = {
  name: 'work-item-recovered',
  text: 'update work_item set cause = null, party = null, failure = null, failing_since = null where workflow_id = $1 and cause is not null',
};

/** Stores why the run of a work item fails. No effect if there is no such item. */
export async function noteFailure(on: Queryable, workflowId: string, failure: WorkFailure): Promise<void> {
  await run(on, FAILED, [workflowId, failure.cause, failure.party, failure.message]);
}

const COUNT: PreparedQuery = {
  name: 'work-item-count-failing',
  text: `
    select cause, party, count(*)::integer as count, min(since) as oldest from (
      select cause, party, failing_since as since from work_item where cause is not null
      union all
      select case when kind = 'deliver-events' then 'receiver_unreachable' else 'industry_switch_' || state end,
        case when kind = 'deliver-events' then 'receiver' else 'industry-switch' end, created_at
      from work_item where state in ('unreachable', 'silent') and cause is null) w
    group by 1, 2`,
};

/** Stuck work with the same cause and party. */
export interface StuckCount {
  cause: string;
  party: string;
  count: number;
  oldest: Date;
}

/** Counts work whose run fails or that needs an operator, by cause and party. */
export async function countFailing(on: Queryable): Promise<StuckCount[]> {
  return run<StuckCount & Record<string, unknown>>(on, COUNT, []);
}

/** Removes the cause after a step of the run has succeeded, or an operator has retried it. */
export async function noteRecovery(on: Queryable, workflowId: string): Promise<void> {
  await run(on, RECOVERED, [workflowId]);
}
