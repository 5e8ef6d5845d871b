import { lookUpBudget } from '../../../temporal.config.ts';
import { sql } from 'kysely';
import {
  kyselyOf,
  run,
  type Askable,
  type Queryable,
  type PreparedQuery,
} from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { LookUpTable } from './look-up.entity.ts';

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
export interface DeferredLookUps {
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
export async function findDeferred(database: Queryable): Promise<DeferredLookUps[]> {
  const rows = await run<{
    network_operator: NetworkOperatorName;
    count: number;
    identifier: string;
    tries: number;
    since: Date;
    next_at: Date;
  }>(database, SUMMED_UP, [lookUpBudget.identifier.triesMax]);
  return rows.map((row) => ({
    networkOperator: row.network_operator,
    count: row.count,
    identifier: row.identifier,
    tries: row.tries,
    since: row.since,
    nextAttemptAt: row.next_at,
  }));
}

/** Makes all that is deferred at a network operator due at once; its run has to be woken. */
export async function askDeferredNow(database: Askable, networkOperator: NetworkOperatorName): Promise<void> {
  await kyselyOf<LookUpTable>(database)
    .updateTable('look_up')
    .set({ due_at: sql<Date>`now()` })
    .where('network_operator', '=', networkOperator)
    .where('due_at', '>', sql<Date>`now()`)
    .execute();
}
