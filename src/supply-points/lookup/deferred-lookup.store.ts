import { sql } from 'kysely';
import { lookupBudget } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { networkOperators, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import type { PopulationRequestTable } from '../populate/population-batch.entity.ts';
import type { DeferredSummary } from '../populate/population-batch.rules.ts';
import { lockLookups } from '../populate/population-batch.store.ts';
import type { LookupTable } from './lookup.entity.ts';

type Tables = LookupTable & PopulationRequestTable;

/** A pending identifier whose lookup has failed and is retried later. */
export interface DeferredIdentifier {
  identifier: string;
  tries: number;
  nextAttemptAt: Date;
  /** Cursor of the list. */
  key: string;
}

const deferredOfBatch = (database: Queryable, batchId: string) =>
  kyselyOf<Tables>(database)
    .selectFrom('population_request as r')
    .innerJoin('look_up as l', 'l.id', 'r.look_up_id')
    .where('r.batch_id', '=', batchId)
    .where('r.state', '=', 'deferred')
    .where('l.due_at', 'is not', null);

/** Lists deferred identifiers of a batch after a key. */
export async function listDeferred(
  database: Queryable,
  batchId: string,
  networkOperator: NetworkOperatorName,
  limit: number,
  after: string,
): Promise<DeferredIdentifier[]> {
  return deferredOfBatch(database, batchId)
    .select(['l.identifier', 'l.tries', 'r.look_up_id as key'])
    .select((column) => column.ref('l.due_at').$notNull().as('nextAttemptAt'))
    .where('r.network_operator', '=', networkOperator)
    .where('r.look_up_id', '>', after)
    .orderBy('r.look_up_id')
    .limit(limit)
    .execute();
}

/** All deferred lookups of a network operator together. */
export interface DeferredLookups {
  networkOperator: NetworkOperatorName;
  count: number;
  /** One of them, as an example. */
  identifier: string;
  tries: number;
  since: Date;
  nextAttemptAt: Date;
}

/** Summarizes the lookups that still fail after the quick retries, by network operator. Lookups that no batch needs are not counted. */
export async function findDeferred(database: Queryable): Promise<DeferredLookups[]> {
  return kyselyOf<Tables>(database)
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
  const deferred = kyselyOf<Tables>(database)
    .selectFrom('look_up')
    .select(['due_at', 'last_failure'])
    .where('network_operator', '=', networkOperator)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(COUNTED_MAX);
  return summaryOf(await kyselyOf<Tables>(database).selectFrom(deferred.as('d')).select(SUMMARY).executeTakeFirst());
}

/** Summarizes the deferred lookups of a batch, or returns undefined. */
export async function summarizeDeferredIn(database: Queryable, batchId: string): Promise<DeferredSummary | undefined> {
  const deferred = deferredOfBatch(database, batchId)
    .select(['l.due_at', 'l.last_failure'])
    .where('r.network_operator', 'in', networkOperators)
    .limit(COUNTED_MAX);
  return summaryOf(await kyselyOf<Tables>(database).selectFrom(deferred.as('d')).select(SUMMARY).executeTakeFirst());
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
    const due = await kyselyOf<Tables>(em)
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

/** Makes all deferred lookups of a network operator due immediately; the caller must wake its run. */
export async function retryDeferredNow(database: Queryable, networkOperator: NetworkOperatorName): Promise<void> {
  await kyselyOf<LookupTable>(database)
    .updateTable('look_up')
    .set({ due_at: sql<Date>`now()` })
    .where('network_operator', '=', networkOperator)
    .where('due_at', '>', sql<Date>`now()`)
    .execute();
}

/** A deferred lookup, as operators see it. */
export interface DeferredLookupView {
  identifier: string;
  customer_authorisation: boolean;
  tries: number;
  last_failure: string | null;
  set_aside_at: string | null;
  next_attempt_at: string;
  /** False if all its batches were cancelled. */
  wanted: boolean;
}

/** A page of deferred lookups. */
export interface DeferredLookupPage {
  look_ups: DeferredLookupView[];
  next_cursor: string | null;
}

const PAGE_SIZE = 50;
/** The time of the next attempt in microseconds, and the id of the lookup. */
const CURSOR = /^(\d{1,16})-(\d{1,18})$/;

const DEFERRED_PAGE: PreparedQuery = {
  name: 'lookups-deferred',
  text: `
    select l.identifier, l.customer_authorisation, l.tries, l.last_failure, l.deferred_at, l.due_at,
      (extract(epoch from l.due_at) * 1000000)::bigint || '-' || l.id as cursor,
      exists (select from population_request r where r.look_up_id = l.id and r.state = 'deferred') as wanted
    from look_up l
    where l.network_operator = $1 and l.due_at is not null and (l.due_at, l.id) > ('epoch'::timestamptz + $2::float8 * interval '1 microsecond', $3::bigint)
    order by l.due_at, l.id limit $4`,
};

interface DeferredRow extends Record<string, unknown> {
  identifier: string;
  customer_authorisation: boolean;
  tries: number;
  last_failure: string | null;
  deferred_at: Date | null;
  due_at: Date;
  cursor: string;
  wanted: boolean;
}

/** Lists the deferred lookups of a network operator in the order of their next attempts. */
export async function listDeferredLookups(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  cursor: string | null,
): Promise<DeferredLookupPage | Refused> {
  const [, dueAt, id] = CURSOR.exec(cursor || '0-0') ?? [];
  if (dueAt === undefined || id === undefined) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['cursor'], 'Use next_cursor of the previous page.')],
    });
  }
  const rows = await run<DeferredRow>(database, DEFERRED_PAGE, [networkOperator, dueAt, id, PAGE_SIZE + 1]);
  const page = rows.slice(0, PAGE_SIZE);
  return {
    look_ups: page.map((row) => ({
      identifier: row.identifier,
      customer_authorisation: row.customer_authorisation,
      tries: row.tries,
      last_failure: row.last_failure,
      set_aside_at: row.deferred_at?.toISOString() ?? null,
      next_attempt_at: row.due_at.toISOString(),
      wanted: row.wanted,
    })),
    next_cursor: rows.length > PAGE_SIZE ? (page.at(-1)?.cursor ?? null) : null,
  };
}
