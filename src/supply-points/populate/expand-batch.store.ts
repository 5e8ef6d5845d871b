import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import { PENDING_AGAIN } from './population-batch.rules.ts';
import { addProgress, completeIfDone, lockBatch } from './population-batch.store.ts';

/** Inserts new lookups and the batch's requests for them. In most batches all identifiers are new. */
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

/** The batch to expand. Known identifiers are looked up again after `knownDays`. */
export interface BatchExpansion {
  batchId: string;
  networkOperator: NetworkOperatorName;
  knownDays: number;
}

/** Turns identifiers of a batch into lookups and requests. Known identifiers count immediately and may complete the batch. */
export async function expandBatch(
  em: EntityManager,
  expansion: BatchExpansion,
  identifiers: readonly string[],
): Promise<void> {
  const { batchId, networkOperator } = expansion;
  const [inserted] = await run<{ count: number }>(em, INSERT_NEW, [batchId, networkOperator, identifiers]);
  if (inserted?.count === identifiers.length) return;
  const imported = await requestKnown(em, expansion, identifiers);
  if (imported === 0) return;
  // Every transaction locks the batch before its progress.
  const batch = await lockBatch(em, batchId);
  await addProgress(em, batchId, networkOperator, { imported });
  if (batch?.status === 'IN_PROGRESS') await completeIfDone(em, batchId);
}

/**
 * Requests lookups that other batches requested before. A lookup is shared only by batches with the same customer authorisation.
 * @returns the number of these lookups that are already imported
 */
async function requestKnown(
  em: EntityManager,
  { batchId, networkOperator, knownDays }: BatchExpansion,
  identifiers: readonly string[],
): Promise<number> {
  const tables = kyselyOf<LookupTables>(em);
  // The lock delays concurrent outcomes of these lookups, so that they count for this batch too.
  const known = await tables
    .selectFrom('population_operator_progress as s')
    .innerJoin('look_up as l', (join) =>
      join
        .onRef('l.network_operator', '=', 's.network_operator')
        .onRef('l.customer_authorisation', '=', 's.customer_authorisation'),
    )
    .select('l.id')
    .where('s.batch_id', '=', batchId)
    .where('s.network_operator', '=', networkOperator)
    .where('l.identifier', '=', sql<string>`any(${identifiers}::text[])`)
    .orderBy('l.id')
    .forNoKeyUpdate('l')
    .execute();
  const ids = sql<string>`any(${known.map(({ id }) => id)}::bigint[])`;
  await tables
    .updateTable('look_up')
    .set(PENDING_AGAIN)
    .where('id', '=', ids)
    .where((is) =>
      is.or([
        is('state', '=', 'errored'),
        is.and([
          is('state', '=', 'imported'),
          is('completed_at', '<', sql<Date>`now() - make_interval(days => ${knownDays})`),
        ]),
      ]),
    )
    .execute();
  const requested = await tables
    .insertInto('population_request')
    .columns(['batch_id', 'network_operator', 'look_up_id', 'state'])
    .expression((of) =>
      of
        .selectFrom('look_up')
        .select([sql<string>`${batchId}::uuid`.as('batch_id'), 'network_operator', 'id', 'state'])
        .where('id', '=', ids),
    )
    .onConflict((conflict) => conflict.columns(['look_up_id', 'batch_id']).doNothing())
    .returning('state')
    .execute();
  return requested.filter(({ state }) => state === 'imported').length;
}

/** Expands the next chunk of a batch; false if all are expanded. */
export async function expandNextChunk(em: EntityManager, expansion: BatchExpansion): Promise<boolean> {
  const { batchId, networkOperator } = expansion;
  const chunk = await kyselyOf<LookupTables>(em)
    .deleteFrom('population_chunk')
    .where('batch_id', '=', batchId)
    .where('network_operator', '=', networkOperator)
    .where('chunk', '=', (of) =>
      of
        .selectFrom('population_chunk')
        .select('chunk')
        .where('batch_id', '=', batchId)
        .where('network_operator', '=', networkOperator)
        .where('is_cancelled', '=', false)
        .orderBy('chunk')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning('identifiers')
    .executeTakeFirst();
  if (chunk === undefined) return false;
  await expandBatch(em, expansion, chunk.identifiers);
  return true;
}
