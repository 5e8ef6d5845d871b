import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf } from '../../platform/database/prepared-query.ts';
import { enqueueWork, signalWork } from '../../platform/work-items/work-item.store.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { batchWorkItem, lookupWorkItem } from '../populate/populate.store.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import {
  addProgress,
  cancelChunks,
  completeIfDone,
  lockBatch,
  lockChunks,
  lockLookups,
} from '../populate/population-batch.store.ts';
import { PENDING_AGAIN } from '../populate/population-batch.rules.ts';

/** The effect of a retry. */
export interface RetriedLookups {
  retried: number;
  networkOperators: NetworkOperatorName[];
  /** The batches that contain the retried identifiers. */
  batchIds: string[];
}

/** Retries all errored and deferred lookups of a batch, also of a cancelled one. Null for an unknown batch. */
export async function retryBatchIn(em: EntityManager, batchId: string): Promise<RetriedLookups | null> {
  await lockChunks(em, batchId);
  await lockLookups(em, batchId, ['errored', 'deferred']);
  const batch = await lockBatch(em, batchId);
  if (batch === undefined) return null;
  await kyselyOf<LookupTables>(em)
    .updateTable('look_up as l')
    .from('population_request as r')
    .set(PENDING_AGAIN)
    .whereRef('r.look_up_id', '=', 'l.id')
    .where('r.batch_id', '=', batchId)
    .where((is) =>
      is.or([
        is.and([is('r.state', '=', 'errored'), is('l.state', '=', 'errored')]),
        is.and([is('r.state', 'in', ['errored', 'deferred']), is('l.state', '=', 'deferred')]),
      ]),
    )
    .execute();
  const moved = [...(await cancelChunks(em, batchId, false)), ...(await reopenRequests(em, batchId))];
  const retried = moved.reduce((total, { count }) => total + count, 0);
  if (retried === 0) return { retried, networkOperators: [], batchIds: [] };
  await completeIfDone(em, batchId);
  return enqueueAgain(em, {
    retried,
    networkOperators: [...new Set(moved.map(({ networkOperator }) => networkOperator))],
    batchIds: [batchId],
  });
}

/** Sets the requests of a batch to the state of their lookups. A lookup that another batch has imported meanwhile counts immediately. */
async function reopenRequests(em: EntityManager, batchId: string) {
  const moved = await kyselyOf<LookupTables>(em)
    .with('moved', (of) =>
      of
        .updateTable('population_request as r')
        .from('look_up as l')
        .set((column) => ({ state: column.ref('l.state'), errored_reason: null }))
        .whereRef('l.id', '=', 'r.look_up_id')
        .where('r.batch_id', '=', batchId)
        .where('r.state', 'in', ['errored', 'deferred'])
        .returning(['r.network_operator', 'r.state', sql<boolean>`old.state = 'errored'`.as('was_errored')]),
    )
    .selectFrom('moved')
    .select([
      'network_operator as networkOperator',
      sql<number>`count(*)::integer`.as('count'),
      sql<number>`(count(*) filter (where was_errored))::integer`.as('errored'),
      sql<number>`(count(*) filter (where state = 'imported'))::integer`.as('imported'),
    ])
    .groupBy('network_operator')
    .execute();
  for (const { networkOperator, imported, errored } of moved) {
    await addProgress(em, batchId, networkOperator, { imported, errored: -errored });
  }
  return moved;
}

/** Retries one errored or deferred identifier for all batches that name it and are not cancelled. Null for an unknown lookup. */
export async function retryLookupIn(
  em: EntityManager,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<RetriedLookups | null> {
  const tables = kyselyOf<LookupTables>(em);
  // There is one lookup with the customer's authorisation and one without it.
  const lookups = await tables
    .selectFrom('look_up')
    .select(['id', 'state'])
    .where('network_operator', '=', networkOperator)
    .where('identifier', '=', identifier)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  if (lookups.length === 0) return null;
  const ids = lookups.filter(({ state }) => ['errored', 'deferred'].includes(state)).map(({ id }) => id);
  const retryable = tables
    .selectFrom('population_request')
    .select('batch_id')
    .where('look_up_id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('state', 'in', ['errored', 'deferred']);
  const batches = await tables
    .selectFrom('population_batch')
    .select('id')
    .where('id', '=', sql<string>`any(array(${retryable}))`)
    .where('status', '<>', 'CANCELLED')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  if (batches.length === 0) return { retried: 0, networkOperators: [], batchIds: [] };
  const batchIds = batches.map(({ id }) => id);
  const reopened = await tables
    .updateTable('population_request')
    .set({ state: 'pending', errored_reason: null })
    .where('look_up_id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('batch_id', 'in', batchIds)
    .where('state', 'in', ['errored', 'deferred'])
    .returning(['batch_id', 'look_up_id', sql<boolean>`old.state = 'errored'`.as('was_errored')])
    .execute();
  for (const batchId of batchIds) {
    const errored = reopened.filter((one) => one.batch_id === batchId && one.was_errored).length;
    await addProgress(em, batchId, networkOperator, { errored: -errored });
    await completeIfDone(em, batchId);
  }
  const retried = [...new Set(reopened.map((one) => one.look_up_id))];
  await tables
    .updateTable('look_up')
    .set(PENDING_AGAIN)
    .where('id', '=', sql<string>`any(${retried}::bigint[])`)
    .execute();
  return enqueueAgain(em, { retried: retried.length, networkOperators: [networkOperator], batchIds });
}

async function enqueueAgain(em: EntityManager, again: RetriedLookups): Promise<RetriedLookups> {
  await signalWork(em, again.networkOperators.map(lookupWorkItem));
  await enqueueWork(em, again.batchIds.map(batchWorkItem));
  return again;
}
