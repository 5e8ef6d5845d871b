import { lookupBudget } from '../../../temporal.config.ts';
import { sql } from 'kysely';
import {
  kyselyOf,
  run,
  type Askable,
  type Queryable,
  type PreparedQuery,
} from '../../platform/database/prepared-query.ts';
import { networkOperators, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { lockLookups } from '../populate/population-batch.store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { LookupTable } from './lookup.entity.ts';

/** An identifier that its network operator has failed on, and that is asked for again later; it counts as pending. */
export interface DeferredIdentifier {
  identifier: string;
  tries: number;
  nextAttemptAt: Date;
  /** Where it stands in the list. */
  key: string;
}

const LISTED: PreparedQuery = {
  name: 'deferred-listed',
  text: `
    select l.identifier, l.tries, l.due_at, r.look_up_id as key from population_request r join look_up l on l.id = r.look_up_id
    where r.batch_id = $1 and r.network_operator = $2 and r.state = 'deferred' and l.due_at is not null and r.look_up_id > $4::bigint order by r.look_up_id limit $3`,
};

/** Identifiers of a batch that wait for another try, after a key. */
export async function listDeferred(
  database: Queryable,
  batchId: string,
  networkOperator: NetworkOperatorName,
  limit: number,
  after: string,
): Promise<DeferredIdentifier[]> {
  const rows = await run<{ identifier: string; tries: number; due_at: Date; key: string }>(database, LISTED, [
    batchId,
    networkOperator,
    limit,
    after,
  ]);
  return rows.map(({ identifier, tries, due_at: dueAt, key }) => ({ identifier, tries, nextAttemptAt: dueAt, key }));
}

/** What one network operator keeps failing on, all of it together. */
export interface DeferredLookups {
  networkOperator: NetworkOperatorName;
  count: number;
  /** One of them, to be looked into. */
  identifier: string;
  tries: number;
  since: Date;
  nextAttemptAt: Date;
}

const SUMMED_UP: PreparedQuery = {
  name: 'deferred-summed-up',
  // By the index on what is due; one that no batch waits for any more is nobody's concern.
  text: `
    select network_operator, count(*)::integer as count, min(identifier) as identifier, max(tries) as tries, min(deferred_at) as since, min(due_at) as next_at
    from look_up l
    where due_at is not null and tries >= $1 and exists (select from population_request r where r.look_up_id = l.id and r.state = 'deferred')
    group by network_operator`,
};

/** What network operators keep failing on after the quick tries; short pauses between these are no cause to look. */
export async function findDeferred(database: Queryable): Promise<DeferredLookups[]> {
  const rows = await run<{
    network_operator: NetworkOperatorName;
    count: number;
    identifier: string;
    tries: number;
    since: Date;
    next_at: Date;
  }>(database, SUMMED_UP, [lookupBudget.identifier.triesMax]);
  return rows.map((row) => ({
    networkOperator: row.network_operator,
    count: row.count,
    identifier: row.identifier,
    tries: row.tries,
    since: row.since,
    nextAttemptAt: row.next_at,
  }));
}

/** Deferred lookups of one network operator or one batch, for the details of its run. */
export interface DeferredSummary {
  /** At most `COUNTED_MAX`. */
  count: number;
  nextAttemptAt: string;
  /** The most frequent failure. */
  cause: string;
}

const COUNTED_MAX = 1_000;
const SUMMARY = (deferred: string) => `
  select count(*)::integer as count, min(due_at) as next_at, mode() within group (order by last_failure) as cause from (${deferred} limit ${COUNTED_MAX}) d`;
const SUMMARY_OF_NETWORK_OPERATOR: PreparedQuery = {
  name: 'deferred-summary-of-network-operator',
  text: SUMMARY(
    'select due_at, last_failure from look_up where network_operator = $1 and due_at is not null order by due_at',
  ),
};
const SUMMARY_OF_BATCH: PreparedQuery = {
  name: 'deferred-summary-of-batch',
  text: SUMMARY(`
    select l.due_at, l.last_failure from population_request r join look_up l on l.id = r.look_up_id
    where r.batch_id = $1 and r.network_operator = any($2) and r.state = 'deferred' and l.due_at is not null`),
};

/** What is deferred at a network operator; undefined when nothing is. */
export const summarizeDeferredOf = (database: Queryable, networkOperator: NetworkOperatorName) =>
  summarize(database, SUMMARY_OF_NETWORK_OPERATOR, [networkOperator]);

/** What is deferred in a batch; undefined when nothing is. */
export const summarizeDeferredIn = (database: Queryable, batchId: string) =>
  summarize(database, SUMMARY_OF_BATCH, [batchId, networkOperators]);

async function summarize(
  database: Queryable,
  query: PreparedQuery,
  values: readonly unknown[],
): Promise<DeferredSummary | undefined> {
  const [row] = await run<{ count: number; next_at: Date | null; cause: string | null }>(database, query, values);
  if (!row?.next_at) return undefined;
  return { count: row.count, nextAttemptAt: row.next_at.toISOString(), cause: row.cause ?? 'unknown' };
}

/** Makes all that is deferred in a batch due immediately. @returns network operators whose runs have to be woken */
export async function askDeferredOfBatchNow(database: Database, batchId: string): Promise<NetworkOperatorName[]> {
  return database.transaction(async (em) => {
    await lockLookups(em, batchId, ['deferred']);
    const due = await run<{ network_operator: NetworkOperatorName }>(em, DUE_NOW, [batchId, networkOperators]);
    return [...new Set(due.map((row) => row.network_operator))];
  });
}

const DUE_NOW: PreparedQuery = {
  name: 'deferred-of-batch-due-now',
  text: `
    update look_up l set due_at = now() from population_request r
    where r.batch_id = $1 and r.network_operator = any($2) and r.state = 'deferred' and l.id = r.look_up_id and l.due_at is not null
    returning l.network_operator`,
};

/** Makes all that is deferred at a network operator due at once; its run has to be woken. */
export async function askDeferredNow(database: Askable, networkOperator: NetworkOperatorName): Promise<void> {
  await kyselyOf<LookupTable>(database)
    .updateTable('look_up')
    .set({ due_at: sql<Date>`now()` })
    .where('network_operator', '=', networkOperator)
    .where('due_at', '>', sql<Date>`now()`)
    .execute();
}
