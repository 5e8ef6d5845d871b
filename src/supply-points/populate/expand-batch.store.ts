import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { lockBatch } from './population-batch.store.ts';
import type { PopulationOperatorProgressTable } from './population-operator-progress.entity.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';

/** Lookups that nobody asked for before, and the batch's requests for them: the common case, in one statement. */
const INSERT_NEW: PreparedQuery = {
  name: 'expand-new',
  text: `
    with new as (
      insert into look_up (network_operator, identifier, customer_authorisation)
      select $2, wanted, s.customer_authorisation from unnest($3::text[]) wanted, population_operator_progress s
      where s.batch_id = $1 and s.network_operator = $2 order by wanted collate "C"
      on conflict (network_operator, identifier, customer_authorisation) do nothing
      returning id
    ), requested as (
      insert into population_request (batch_id, network_operator, look_up_id, state) select $1, $2, id, 'pending' from new
    )
    select count(*)::integer as count from new`,
};

/** A lookup is shared with those who ask the same: with the customer's authorisation, or without it. */
const OF_PROGRESS = `join population_operator_progress s on s.batch_id = $1 and s.network_operator = $2
      join look_up l on l.network_operator = s.network_operator and l.identifier = wanted and l.customer_authorisation = s.customer_authorisation`;

/** Holds the lookups that were there before: whoever completes one of them now waits, and then counts this batch too. */
const LOCK_KNOWN: PreparedQuery = {
  name: 'expand-lock-known',
  text: `select count(*)::integer from (
    select l.id from unnest($3::text[]) wanted ${OF_PROGRESS} order by l.id for no key update of l) locked`,
};

/** Asks again what is older than the setting, and what ended as errored: it is named anew, so something may have changed. */
const ASK_AGAIN: PreparedQuery = {
  name: 'expand-ask-again',
  text: `
    update look_up l set state = 'pending', errored_reason = null, tries = 0, deferred_at = null, due_at = null, completed_at = null
    from unnest($3::text[]) wanted, population_operator_progress s
    where s.batch_id = $1 and s.network_operator = $2 and l.network_operator = s.network_operator and l.identifier = wanted and l.customer_authorisation = s.customer_authorisation
      and (l.state = 'errored' or (l.state = 'imported' and l.completed_at < now() - make_interval(days => $4)))`,
};

const REQUEST_KNOWN: PreparedQuery = {
  name: 'expand-request-known',
  text: `
    with requested as (
      insert into population_request (batch_id, network_operator, look_up_id, state)
      select $1, $2, l.id, l.state from unnest($3::text[]) wanted ${OF_PROGRESS}
      on conflict (look_up_id, batch_id) do nothing
      returning state
    )
    select count(*) filter (where state = 'imported')::integer as imported from requested`,
};

const COMPLETE: PreparedQuery = {
  name: 'expand-complete',
  text: `update population_batch set status = 'COMPLETED', ended_at = now() where id = $1 and status = 'IN_PROGRESS'
    and not exists (select from population_operator_progress where batch_id = $1 and imported + errored < accepted)`,
};

/** Whose identifiers they are, and after how many days they are asked for again. */
export interface BatchExpansion {
  batchId: string;
  networkOperator: NetworkOperatorName;
  knownDays: number;
}

/** Turns identifiers of a batch into lookups and requests. What is known counts at once, and may complete the batch. */
export async function expandBatch(
  em: EntityManager,
  { batchId, networkOperator, knownDays }: BatchExpansion,
  identifiers: readonly string[],
): Promise<void> {
  const [inserted] = await run<{ count: number }>(em, INSERT_NEW, [batchId, networkOperator, identifiers]);
  if (inserted?.count === identifiers.length) return;
  await run(em, LOCK_KNOWN, [batchId, networkOperator, identifiers]);
  await run(em, ASK_AGAIN, [batchId, networkOperator, identifiers, knownDays]);
  const [known] = await run<{ imported: number }>(em, REQUEST_KNOWN, [batchId, networkOperator, identifiers]);
  if (!known?.imported) return;
  // The batch before its progress, as everywhere.
  await lockBatch(em, batchId);
  await em
    .getKysely<PopulationOperatorProgressTable>()
    .updateTable('population_operator_progress')
    .set((column) => ({ imported: column('imported', '+', known.imported) }))
    .where('batch_id', '=', batchId)
    .where('network_operator', '=', networkOperator)
    .execute();
  await run(em, COMPLETE, [batchId]);
}

const NEXT_CHUNK: PreparedQuery = {
  name: 'expand-next-chunk',
  text: `
    delete from population_chunk where batch_id = $1 and network_operator = $2 and chunk = (
      select chunk from population_chunk where batch_id = $1 and network_operator = $2 and not is_cancelled order by chunk limit 1 for update skip locked
    ) returning identifiers`,
};

/** Expands the next chunk of a batch; false when there is none. */
export async function expandNextChunk(em: EntityManager, expansion: BatchExpansion): Promise<boolean> {
  const [chunk] = await run<{ identifiers: string[] }>(em, NEXT_CHUNK, [expansion.batchId, expansion.networkOperator]);
  if (chunk === undefined) return false;
  await expandBatch(em, expansion, chunk.identifiers);
  return true;
}
