import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { enqueueWork, signalWork } from '../../platform/work-items/work-item.store.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { LookupTable } from './lookup.entity.ts';
import { CANCEL_IN_CHUNKS, lockBatch, lockChunks, lockLookups } from '../populate/population-batch.store.ts';
import { batchWorkItem, lookupWorkItem } from '../populate/populate.store.ts';

const ASK_AGAIN: PreparedQuery = {
  name: 'population-batch-ask-again',
  text: `
    update look_up l set state = 'pending', errored_reason = null, tries = 0, deferred_at = null, due_at = null, completed_at = null
    from population_request r
    where r.batch_id = $1 and r.look_up_id = l.id
      and ((r.state = 'errored' and l.state = 'errored') or (r.state in ('errored', 'deferred') and l.state = 'deferred'))`,
};
/** A lookup that was imported meanwhile, for another batch, counts at once. */
const REOPEN: PreparedQuery = {
  name: 'population-batch-reopen',
  text: `
    with moved as (
      update population_request r set state = l.state, errored_reason = null
      from look_up l where l.id = r.look_up_id and r.batch_id = $1 and r.state in ('errored', 'deferred')
      returning r.network_operator, old.state = 'errored' as was_errored, r.state = 'imported' as is_imported
    ), counted as (
      select network_operator, count(*) filter (where was_errored) as errored, count(*) filter (where is_imported) as imported, count(*) as moved from moved group by 1
    )
    update population_operator_progress s set errored = s.errored - c.errored, imported = s.imported + c.imported
    from counted c where s.batch_id = $1 and s.network_operator = c.network_operator
    returning s.network_operator, c.moved::integer as moved`,
};
const IN_PROGRESS_AGAIN: PreparedQuery = {
  name: 'population-batch-in-progress-again',
  text: `
    update population_batch set status = case when exists (select from population_operator_progress where batch_id = $1 and imported + errored < accepted) then 'IN_PROGRESS' else 'COMPLETED' end,
      ended_at = case when exists (select from population_operator_progress where batch_id = $1 and imported + errored < accepted) then null else now() end
    where id = $1`,
};

/** What a retry set going again. */
export interface RetriedLookups {
  retried: number;
  networkOperators: NetworkOperatorName[];
  /** Batches that wait for it. */
  batchIds: string[];
}

/** Asks again for all that is errored or deferred in a batch, a cancelled one included. Null when there is no such batch. */
export async function retryBatchIn(em: EntityManager, batchId: string): Promise<RetriedLookups | null> {
  await lockChunks(em, batchId);
  await lockLookups(em, batchId, ['errored', 'deferred']);
  const batch = await lockBatch(em, batchId);
  if (batch === undefined) return null;
  await run(em, ASK_AGAIN, [batchId]);
  const chunks = await run<{ network_operator: NetworkOperatorName; moved: number }>(em, CANCEL_IN_CHUNKS, [
    batchId,
    false,
  ]);
  const moved = [
    ...chunks,
    ...(await run<{ network_operator: NetworkOperatorName; moved: number }>(em, REOPEN, [batchId])),
  ];
  const retried = moved.reduce((total, { moved: count }) => total + count, 0);
  if (retried === 0) return { retried, networkOperators: [], batchIds: [] };
  await run(em, IN_PROGRESS_AGAIN, [batchId]);
  return enqueueAgain(em, {
    retried,
    networkOperators: [...new Set(moved.map(({ network_operator: name }) => name))],
    batchIds: [batchId],
  });
}

const LOCK_BATCHES_OF: PreparedQuery = {
  name: 'population-batches-of-lock',
  text: `select id from population_batch where id = any(array(select batch_id from population_request where look_up_id = any($1::bigint[]) and state in ('errored', 'deferred'))) and status <> 'CANCELLED' order by id for no key update`,
};
const REOPEN_ONE: PreparedQuery = {
  name: 'population-request-reopen-one',
  text: `
    with moved as (
      update population_request set state = 'pending', errored_reason = null where look_up_id = any($1::bigint[]) and batch_id = any($2) and state in ('errored', 'deferred')
      returning batch_id, network_operator, look_up_id, (old.state = 'errored')::integer as was_errored
    ), counted as (select batch_id, network_operator, sum(was_errored) as errored from moved group by 1, 2
    ), progress as (
      update population_operator_progress s set errored = s.errored - c.errored from counted c where s.batch_id = c.batch_id and s.network_operator = c.network_operator
    )
    select array_agg(distinct look_up_id) as look_ups from moved`,
};

/** Asks again for one identifier that is errored or deferred, for every batch that wants it and is not cancelled. Null when there is none. */
export async function retryLookupIn(
  em: EntityManager,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<RetriedLookups | null> {
  // One that is asked with the customer's authorisation and without it has a lookup for each.
  const lookups = await em
    .getKysely<LookupTable>()
    .selectFrom('look_up')
    .select(['id', 'state'])
    .where('network_operator', '=', networkOperator)
    .where('identifier', '=', identifier)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  if (lookups.length === 0) return null;
  const ids = lookups.filter(({ state }) => ['errored', 'deferred'].includes(state)).map(({ id }) => id);
  const wanted = await run<{ id: string }>(em, LOCK_BATCHES_OF, [ids]);
  if (wanted.length === 0) return { retried: 0, networkOperators: [], batchIds: [] };
  const batchIds = wanted.map(({ id }) => id);
  const [reopened] = await run<{ look_ups: string[] }>(em, REOPEN_ONE, [ids, batchIds]);
  await em
    .getKysely<LookupTable>()
    .updateTable('look_up')
    .set({ state: 'pending', errored_reason: null, tries: 0, deferred_at: null, due_at: null, completed_at: null })
    .where('id', '=', sql<string>`any(${reopened?.look_ups ?? []}::bigint[])`)
    .execute();
  for (const batchId of batchIds) await run(em, IN_PROGRESS_AGAIN, [batchId]);
  return enqueueAgain(em, { retried: reopened?.look_ups.length ?? 0, networkOperators: [networkOperator], batchIds });
}

async function enqueueAgain(em: EntityManager, again: RetriedLookups): Promise<RetriedLookups> {
  await signalWork(em, again.networkOperators.map(lookupWorkItem));
  await enqueueWork(em, again.batchIds.map(batchWorkItem));
  return again;
}
