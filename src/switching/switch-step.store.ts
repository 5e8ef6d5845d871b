import type { EntityManager } from '@mikro-orm/postgresql';
import { switchUnreachableSeconds, workflowIds } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { lockWork, type WorkItem, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import {
  unfinishedState,
  type UnfinishedRow,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';

/** The work item of the switch of an account. */
export function switchWorkItem(accountNumber: string, importSupplier: string, externalAccountNumber: string): WorkItem {
  return {
    workflowId: workflowIds.switchSupplier(accountNumber),
    kind: 'switch-supplier',
    input: { accountNumber, importSupplier, externalAccountNumber },
  };
}

/** Why requests of an account fail. */
interface SwitchFailure {
  tries: number;
  /** Whether it has a run of its own from now on. */
  runsAlone: boolean;
  cause: string | null;
  message: string;
}

/** The state of a work item after a step. */
export interface SwitchStepEnd {
  workflowId: string;
  /** Seconds until it is due again. */
  seconds: number;
  /** Why it needs an operator; otherwise null, and its signals are read. */
  state: 'unreachable' | 'silent' | null;
  /** Whether a page holds it until it is due: no other page requests its switch meanwhile. `keep` leaves it to the page that holds it. */
  hold: 'take' | 'release' | 'keep';
  /** Null: none, and it is worked off in pages. Undefined: unchanged. */
  failure?: SwitchFailure | null;
}

const END_STEPS: PreparedQuery = {
  name: 'switch-end-steps',
  text: `
    update work_item w set
      start_at = greatest(now() + make_interval(secs => n.seconds), case n.hold when 'keep' then w.held_until end),
      held_until = case n.hold when 'take' then now() + make_interval(secs => n.seconds) when 'keep' then w.held_until end,
      state = n.state,
      tries = coalesce(n.tries, w.tries), runs_alone = coalesce(n.runs_alone, w.runs_alone),
      cause = case when n.tries is null then w.cause else n.cause end,
      party = case when n.tries is null then w.party when n.cause is not null then 'industry-switch' end,
      failure = case when n.tries is null then w.failure else n.failure end,
      failing_since = case when n.tries is null then w.failing_since when n.cause is not null then coalesce(w.failing_since, now()) end
    from unnest($1::text[], $2::float8[], $3::text[], $4::text[], $5::integer[], $6::boolean[], $7::text[], $8::text[])
      as n (workflow_id, seconds, state, hold, tries, runs_alone, cause, failure)
    where w.workflow_id = n.workflow_id`,
};

const NO_FAILURE: SwitchFailure = { tries: 0, runsAlone: false, cause: null, message: '' };

/** Schedules locked work items after a step. */
export async function endSteps(em: EntityManager, ends: readonly SwitchStepEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const failures = ends.map(({ failure }) => (failure === null ? NO_FAILURE : failure));
  await run(em, END_STEPS, [
    ends.map(({ workflowId }) => workflowId),
    ends.map(({ seconds }) => seconds),
    ends.map(({ state }) => state),
    ends.map(({ hold }) => hold),
    failures.map((failure) => failure?.tries ?? null),
    failures.map((failure) => failure?.runsAlone ?? null),
    failures.map((failure) => failure?.cause ?? null),
    failures.map((failure) => (failure?.cause ? failure.message : null)),
  ]);
}

/**
 * Records that the network operator was unavailable for the whole budget of a run: the switch is listed as stuck, and its run is restarted
 * after a day, or by an operator or a message. No effect if it was signalled or has returned to the pages.
 */
export async function recordUnreachable(em: EntityManager, accountNumber: string): Promise<void> {
  const workflowId = workflowIds.switchSupplier(accountNumber);
  const work = await lockWork(em, workflowId);
  if (!work?.runsAlone || work.state === 'signalled') return;
  const failure = { ...NO_FAILURE, runsAlone: true };
  await endSteps(em, [
    { workflowId, seconds: switchUnreachableSeconds, state: 'unreachable', hold: 'release', failure },
  ]);
}

// Uses the order of the index account_switch_status. An account is also IN_PROGRESS while one point is completed and another is not due
// yet.
const UNFINISHED: PreparedQuery = {
  name: 'switches-unfinished',
  text: `
    select a.import_supplier || '/' || a.external_account_number as key, a.import_supplier as "importSupplier",
      a.external_account_number as "externalAccountNumber", a.number, null::timestamptz as since,
      (${workItemIdSql(`'${workflowIds.switchSupplier('')}' || a.number`)}) is not null
        or (select true from account_supply_point s where s.account_id = a.id and s.switch_status = 'IN_PROGRESS' limit 1) is null as "hasWork"
    from account a
    where a.switch_status collate "C" = 'IN_PROGRESS' and (a.import_supplier, a.external_account_number) > ($1, $2)
    order by a.import_supplier, a.external_account_number limit $3`,
};

/** Lists accounts whose switch is in progress, after the cursor `after` (`<supplier>/<number>`, empty for the beginning). */
export async function findUnfinishedSwitches(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const slash = after.indexOf('/');
  type Row = UnfinishedRow & { importSupplier: string; externalAccountNumber: string; number: string };
  const rows = await run<Row>(on, UNFINISHED, [after.slice(0, Math.max(slash, 0)), after.slice(slash + 1), limit]);
  return rows.map(
    unfinishedState<Row>((row) => switchWorkItem(row.number, row.importSupplier, row.externalAccountNumber)),
  );
}
