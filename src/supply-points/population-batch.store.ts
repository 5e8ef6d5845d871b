import { workflowIds } from '../../temporal.config.ts';
import type { Database, Queryable, Statement } from '../platform/database/database.ts';
import { oweWork } from '../platform/unfinished-work/unfinished-work.store.ts';
import { networkOperators, ownErroredReasons, type NetworkOperatorName } from '../vocabulary/network-operators.ts';
import type { BatchWarnings } from './populate.rules.ts';
import { oweLookUps } from './populate.store.ts';

export type BatchStatus = 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLED';

/** Counts of a batch at one operator; the three parts always add up to what was accepted. */
export interface ShareCounts {
  networkOperator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  pending: number;
  /** Outcomes a second, lately. */
  ratePerSecond: number;
}

/** A batch with its counts, by key. */
export interface BatchCounts {
  batchId: string;
  status: BatchStatus;
  warnings: BatchWarnings;
  createdAt: Date;
  endedAt: Date | null;
  shares: ShareCounts[];
}

const COUNTS: Statement = {
  name: 'population-batch-counts',
  // The rate spans the window before and the present one; when nothing has come for long it fades.
  text: `
    select b.status, b.warnings, b.created_at, b.ended_at, s.network_operator, s.accepted, s.imported, s.errored,
      case when clock_timestamp() - s.window_at < interval '30 seconds'
        then (s.earlier_count + s.window_count) / greatest(1, extract(epoch from clock_timestamp() - s.earlier_at))
        else s.window_count / extract(epoch from clock_timestamp() - s.window_at) end::float8 as rate
    from population_batch b left join population_share s on s.batch_id = b.id
    where b.id = $1 and ($2::text is null or b.organisation_id = (select id from organisation where name = $2))
    order by s.network_operator`,
};

interface CountsRow extends Record<string, unknown> {
  status: BatchStatus;
  warnings: BatchWarnings;
  created_at: Date;
  ended_at: Date | null;
  network_operator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  rate: number;
}

/** A batch; with `organisation` only if it is that one's. One statement, so that counts and status fit together. */
export async function findBatchCounts(database: Queryable, batchId: string, organisation?: string): Promise<BatchCounts | undefined> {
  const rows = await database.run<CountsRow>(COUNTS, [batchId, organisation ?? null]);
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    batchId, status: first.status, warnings: first.warnings, createdAt: new Date(first.created_at), endedAt: first.ended_at && new Date(first.ended_at),
    shares: rows.map((row) => ({
      networkOperator: row.network_operator, accepted: row.accepted, imported: row.imported, errored: row.errored,
      pending: row.accepted - row.imported - row.errored, ratePerSecond: row.rate,
    })),
  };
}

const LISTED: Statement = {
  name: 'population-requests-listed',
  text: `
    select l.identifier, r.errored_reason as reason from population_request r join look_up l on l.id = r.look_up_id
    where r.batch_id = $1 and r.network_operator = $2 and r.state = $3 order by r.look_up_id limit $4`,
};

/** The first identifiers of a batch in a state. */
export async function listRequests(database: Queryable, batchId: string, networkOperator: NetworkOperatorName, state: string, limit: number): Promise<{ identifier: string; reason: string | null }[]> {
  return database.run(LISTED, [batchId, networkOperator, state, limit]);
}

/** How far a batch is, for its workflow. */
export interface BatchProgress {
  status: BatchStatus;
  accepted: number;
  imported: number;
  pending: number;
  errored: number;
}

const OWED_NO_MORE: Statement = {
  name: 'population-owed-no-more',
  text: `delete from unfinished_work u using population_batch b where u.workflow_id = $2 and b.id = $1 and b.status <> 'IN_PROGRESS'`,
};

/** Reads how far a batch is; once it has ended, its workflow is owed no more. Null when there is no such batch. */
export async function findProgress(database: Database, batchId: string): Promise<BatchProgress | null> {
  await database.run(OWED_NO_MORE, [batchId, workflowIds.populateSupplyPoints(batchId)]);
  const batch = await findBatchCounts(database, batchId);
  if (batch === undefined) return null;
  const sum = (part: 'accepted' | 'imported' | 'pending' | 'errored') => batch.shares.reduce((total, share) => total + share[part], 0);
  return { status: batch.status, accepted: sum('accepted'), imported: sum('imported'), pending: sum('pending'), errored: sum('errored') };
}

const LOCK_BATCH: Statement = { name: 'population-batch-lock', text: 'select status from population_batch where id = $1 for no key update' };
const LOCK_LOOK_UPS: Statement = {
  name: 'population-look-ups-lock',
  text: `select 1 from look_up where id = any(array(select look_up_id from population_request where batch_id = $1 and network_operator = any($2) and state = any($3))) order by id for no key update`,
};
const CANCEL: Statement = {
  name: 'population-batch-cancel',
  text: `
    with moved as (
      update population_request set state = 'errored', errored_reason = $2
      where batch_id = $1 and network_operator = any($3) and state in ('pending', 'set-aside') returning network_operator
    ), counted as (select network_operator, count(*) as count from moved group by 1)
    update population_share s set errored = s.errored + c.count from counted c where s.batch_id = $1 and s.network_operator = c.network_operator
    returning c.count::integer as count`,
};
const CANCELLED: Statement = { name: 'population-batch-cancelled', text: `update population_batch set status = 'CANCELLED', ended_at = now() where id = $1` };

/**
 * Cancels a batch: what is pending ends as errored with the reason `batch_cancelled`, what is settled stays. Identifiers that
 * other batches want too go on for these. Null when there is no such batch; one that has ended stays as it is.
 */
export async function cancelBatch(database: Database, batchId: string): Promise<{ status: BatchStatus; cancelled: number } | null> {
  return database.transaction((tx) => cancelBatchIn(tx, batchId));
}

/** The same inside a transaction, beside its row of the audit. */
export async function cancelBatchIn(tx: Queryable, batchId: string): Promise<{ status: BatchStatus; cancelled: number } | null> {
  // Look-ups before the batch, as settling does, so that neither waits for the other.
  await tx.run(LOCK_LOOK_UPS, [batchId, networkOperators, ['pending', 'set-aside']]);
  const [batch] = await tx.run<{ status: BatchStatus }>(LOCK_BATCH, [batchId]);
  if (batch === undefined) return null;
  if (batch.status !== 'IN_PROGRESS') return { status: batch.status, cancelled: 0 };
  const counts = await tx.run<{ count: number }>(CANCEL, [batchId, ownErroredReasons.cancelled, networkOperators]);
  await tx.run(CANCELLED, [batchId]);
  return { status: 'CANCELLED', cancelled: counts.reduce((total, { count }) => total + count, 0) };
}

const ASK_AGAIN: Statement = {
  name: 'population-batch-ask-again',
  text: `
    update look_up l set state = 'pending', errored_reason = null, tries = 0, set_aside_at = null, due_at = null, settled_at = null
    from population_request r
    where r.batch_id = $1 and r.look_up_id = l.id
      and ((r.state = 'errored' and l.state = 'errored') or (r.state in ('errored', 'set-aside') and l.state = 'set-aside'))`,
};
/** A look-up that was imported meanwhile, for another batch, counts at once. */
const REOPEN: Statement = {
  name: 'population-batch-reopen',
  text: `
    with moved as (
      update population_request r set state = l.state, errored_reason = null
      from look_up l where l.id = r.look_up_id and r.batch_id = $1 and r.state in ('errored', 'set-aside')
      returning r.network_operator, old.state = 'errored' as was_errored, r.state = 'imported' as is_imported
    ), counted as (
      select network_operator, count(*) filter (where was_errored) as errored, count(*) filter (where is_imported) as imported, count(*) as moved from moved group by 1
    )
    update population_share s set errored = s.errored - c.errored, imported = s.imported + c.imported
    from counted c where s.batch_id = $1 and s.network_operator = c.network_operator
    returning s.network_operator, c.moved::integer as moved`,
};
const IN_PROGRESS_AGAIN: Statement = {
  name: 'population-batch-in-progress-again',
  text: `
    update population_batch set status = case when exists (select from population_share where batch_id = $1 and imported + errored < accepted) then 'IN_PROGRESS' else 'COMPLETED' end,
      ended_at = case when exists (select from population_share where batch_id = $1 and imported + errored < accepted) then null else now() end
    where id = $1`,
};

/** What a retry set going again. */
export interface RetriedLookUps {
  retried: number;
  networkOperators: NetworkOperatorName[];
  /** Batches that wait for it. */
  batchIds: string[];
}

/** Asks again for all that is errored or set aside in a batch, a cancelled one included. Null when there is no such batch. */
export async function retryBatchIn(tx: Queryable, batchId: string): Promise<RetriedLookUps | null> {
  await tx.run(LOCK_LOOK_UPS, [batchId, networkOperators, ['errored', 'set-aside']]);
  const [batch] = await tx.run<{ status: BatchStatus }>(LOCK_BATCH, [batchId]);
  if (batch === undefined) return null;
  await tx.run(ASK_AGAIN, [batchId]);
  const moved = await tx.run<{ network_operator: NetworkOperatorName; moved: number }>(REOPEN, [batchId]);
  const retried = moved.reduce((total, { moved: count }) => total + count, 0);
  if (retried === 0) return { retried, networkOperators: [], batchIds: [] };
  await tx.run(IN_PROGRESS_AGAIN, [batchId]);
  return oweAgain(tx, { retried, networkOperators: moved.map(({ network_operator: name }) => name), batchIds: [batchId] });
}

const LOCK_LOOK_UP: Statement = { name: 'look-up-lock', text: 'select id, state from look_up where network_operator = $1 and identifier = $2 for no key update' };
const LOOK_UP_AGAIN: Statement = {
  name: 'look-up-again',
  text: `update look_up set state = 'pending', errored_reason = null, tries = 0, set_aside_at = null, due_at = null, settled_at = null where id = $1`,
};
const LOCK_BATCHES_OF: Statement = {
  name: 'population-batches-of-lock',
  text: `select id from population_batch where id = any(array(select batch_id from population_request where look_up_id = $1 and state in ('errored', 'set-aside'))) and status <> 'CANCELLED' order by id for no key update`,
};
const REOPEN_ONE: Statement = {
  name: 'population-request-reopen-one',
  text: `
    with moved as (
      update population_request set state = 'pending', errored_reason = null where look_up_id = $1 and batch_id = any($2) and state in ('errored', 'set-aside')
      returning batch_id, network_operator, (old.state = 'errored')::integer as was_errored
    )
    update population_share s set errored = s.errored - m.was_errored from moved m where s.batch_id = m.batch_id and s.network_operator = m.network_operator`,
};

/** Asks again for one identifier that is errored or set aside, for every batch that wants it and is not cancelled. Null when there is none. */
export async function retryLookUpIn(tx: Queryable, networkOperator: NetworkOperatorName, identifier: string): Promise<RetriedLookUps | null> {
  const [lookUp] = await tx.run<{ id: string; state: string }>(LOCK_LOOK_UP, [networkOperator, identifier]);
  if (lookUp === undefined) return null;
  const batchIds = (await tx.run<{ id: string }>(LOCK_BATCHES_OF, [lookUp.id])).map(({ id }) => id);
  if (!['errored', 'set-aside'].includes(lookUp.state) || batchIds.length === 0) return { retried: 0, networkOperators: [], batchIds: [] };
  await tx.run(LOOK_UP_AGAIN, [lookUp.id]);
  await tx.run(REOPEN_ONE, [lookUp.id, batchIds]);
  for (const batchId of batchIds) await tx.run(IN_PROGRESS_AGAIN, [batchId]);
  return oweAgain(tx, { retried: 1, networkOperators: [networkOperator], batchIds });
}

async function oweAgain(tx: Queryable, again: RetriedLookUps): Promise<RetriedLookUps> {
  for (const batchId of again.batchIds) await oweWork(tx, { workflowId: workflowIds.populateSupplyPoints(batchId), kind: 'populate-supply-points', input: { batchId } });
  for (const networkOperator of again.networkOperators) await oweLookUps(tx, networkOperator);
  return again;
}
