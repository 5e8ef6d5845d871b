import { raw } from '@mikro-orm/core';
import { sql } from 'kysely';
import { lookupBudget } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { emOf, kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { networkOperators, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { LookupRow, type LookupTables } from '../supply-point.entity.ts';
import type { DeferredSummary } from '../populate/population-batch.rules.ts';
import { lockLookups } from '../populate/population-batch.store.ts';
import type { DeferredLookupPage } from '../find/find-supply-points.openapi.ts';

const deferredOfBatch = (database: Queryable, batchId: string) =>
  kyselyOf<LookupTables>(database)
    .selectFrom('population_request as r')
    .innerJoin('look_up as l', 'l.id', 'r.look_up_id')
    .where('r.batch_id', '=', batchId)
    .where('r.state', '=', 'deferred')
    .where('l.due_at', 'is not', null);

/** Lists pending identifiers of a batch whose lookup has failed and is retried later, after a key. */
export async function listDeferred(
  database: Queryable,
  batchId: string,
  networkOperator: NetworkOperatorName,
  limit: number,
  after: string,
) {
  return deferredOfBatch(database, batchId)
    .select(['l.identifier', 'l.tries', 'r.look_up_id as key'])
    .select((column) => column.ref('l.due_at').$notNull().as('nextAttemptAt'))
    .where('r.network_operator', '=', networkOperator)
    .where('r.look_up_id', '>', after)
    .orderBy('r.look_up_id')
    .limit(limit)
    .execute();
}

/** All deferred lookups of a network operator together; `identifier` is one of them, as an example. */
export type DeferredLookups = Awaited<ReturnType<typeof findDeferred>>[number];

/** Summarizes the lookups that still fail after the quick retries, by network operator. Lookups that no batch needs are not counted. */
export async function findDeferred(database: Queryable) {
  return kyselyOf<LookupTables>(database)
    .selectFrom('look_up as l')
    .select([
      'network_operator as networkOperator',
      sql<number>`count(*)::integer`.as('count'),
      sql<string>`min(identifier)`.as('identifier'),
      sql<number>`max(tries)`.as('tries'),
      sql<Date>`min(deferred_at)`.as('since'),
      sql<Date>`min(due_at)`.as('nextAttemptAt'),
    ])
    .where('due_at', 'is not', null)
    .where('tries', '>=', lookupBudget.identifier.triesMax)
    .where((is) =>
      is.exists(
        is
          .selectFrom('population_request as r')
          .select('r.batch_id')
          .whereRef('r.look_up_id', '=', 'l.id')
          .where('r.state', '=', 'deferred'),
      ),
    )
    .groupBy('network_operator')
    .execute();
}

const COUNTED_MAX = 1_000;

/** Summarizes the deferred lookups of a network operator, or returns undefined. */
export async function summarizeDeferredOf(
  database: Queryable,
  networkOperator: NetworkOperatorName,
): Promise<DeferredSummary | undefined> {
  const deferred = kyselyOf<LookupTables>(database)
    .selectFrom('look_up')
    .select(['due_at', 'last_failure'])
    .where('network_operator', '=', networkOperator)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(COUNTED_MAX);
  return summaryOf(
    await kyselyOf<LookupTables>(database).selectFrom(deferred.as('d')).select(SUMMARY).executeTakeFirst(),
  );
}

/** Summarizes the deferred lookups of a batch, or returns undefined. */
export async function summarizeDeferredIn(database: Queryable, batchId: string): Promise<DeferredSummary | undefined> {
  const deferred = deferredOfBatch(database, batchId)
    .select(['l.due_at', 'l.last_failure'])
    .where('r.network_operator', 'in', networkOperators)
    .limit(COUNTED_MAX);
  return summaryOf(
    await kyselyOf<LookupTables>(database).selectFrom(deferred.as('d')).select(SUMMARY).executeTakeFirst(),
  );
}

const SUMMARY = [
  sql<number>`count(*)::integer`.as('count'),
  sql<Date | null>`min(due_at)`.as('nextAt'),
  sql<string | null>`mode() within group (order by last_failure)`.as('cause'),
] as const;

function summaryOf(
  found: { count: number; nextAt: Date | null; cause: string | null } | undefined,
): DeferredSummary | undefined {
  if (!found?.nextAt) return undefined;
  return { count: found.count, nextAttemptAt: found.nextAt.toISOString(), cause: found.cause ?? 'unknown' };
}

/** Makes all deferred lookups of a batch due immediately. @returns the network operators whose runs the caller must wake */
export async function retryDeferredOfBatchNow(database: Database, batchId: string): Promise<NetworkOperatorName[]> {
  return database.transaction(async (em) => {
    await lockLookups(em, batchId, ['deferred']);
    const due = await kyselyOf<LookupTables>(em)
      .updateTable('look_up as l')
      .from('population_request as r')
      .set({ due_at: sql<Date>`now()` })
      .whereRef('l.id', '=', 'r.look_up_id')
      .where('r.batch_id', '=', batchId)
      .where('r.network_operator', 'in', networkOperators)
      .where('r.state', '=', 'deferred')
      .where('l.due_at', 'is not', null)
      .returning('l.network_operator')
      .execute();
    return [...new Set(due.map((row) => row.network_operator))];
  });
}

/**
 * Makes deferred lookups of a network operator due immediately; the caller must wake its run.
 * @param ids only these lookups
 */
export async function retryDeferredNow(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  ids?: readonly string[],
): Promise<void> {
  const isLater = { networkOperator, dueAt: { $gt: raw<Date>('now()') }, ...(ids && { id: { $in: [...ids] } }) };
  await emOf(database).nativeUpdate(LookupRow, isLater, { dueAt: raw('now()') });
}

const PAGE_SIZE = 50;
/** The time of the next attempt in microseconds, and the id of the lookup. */
const CURSOR = /^(\d{1,16})-(\d{1,18})$/;

/** Lists the deferred lookups of a network operator in the order of their next attempts. */
export async function listDeferredLookups(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  cursor: string | null | undefined,
  limit = PAGE_SIZE,
): Promise<DeferredLookupPage | Refused> {
  const [, dueAt, id] = CURSOR.exec(cursor || '0-0') ?? [];
  if (dueAt === undefined || id === undefined) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['cursor'], 'Use next_cursor of the previous page.')],
    });
  }
  const rows = await kyselyOf<LookupTables>(database)
    .selectFrom('look_up as l')
    .select(['l.identifier', 'l.customer_authorisation', 'l.tries', 'l.last_failure', 'l.deferred_at'])
    .select(({ ref, exists, selectFrom }) => [
      ref('l.due_at').$notNull().as('due_at'),
      sql<string>`(extract(epoch from l.due_at) * 1000000)::bigint || '-' || l.id`.as('cursor'),
      exists(
        selectFrom('population_request as r')
          .select('r.batch_id')
          .whereRef('r.look_up_id', '=', 'l.id')
          .where('r.state', '=', 'deferred'),
      ).as('wanted'),
    ])
    .where('l.network_operator', '=', networkOperator)
    .where('l.due_at', 'is not', null)
    .where(
      sql<boolean>`(l.due_at, l.id) > ('epoch'::timestamptz + ${dueAt}::float8 * interval '1 microsecond', ${id}::bigint)`,
    )
    .orderBy('l.due_at')
    .orderBy('l.id')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return {
    look_ups: page.map(({ deferred_at, due_at, cursor: _cursor, wanted, ...lookup }) => ({
      ...lookup,
      set_aside_at: deferred_at?.toISOString() ?? null,
      next_attempt_at: due_at.toISOString(),
      wanted: Boolean(wanted),
    })),
    next_cursor: rows.length > limit ? (page.at(-1)?.cursor ?? null) : null,
  };
}
