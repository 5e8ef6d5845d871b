import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { ownErroredReasons, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchCounts } from '../populate/population-batch.store.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import { listDeferred } from '../lookup/deferred-lookup.store.ts';

const STATES = { imported: ['imported'], pending: ['pending', 'deferred'], errored: ['errored'] } as const;
/** Identifiers per statement. */
const PAGE_SIZE = 1_000;

interface BatchAtNetworkOperator {
  batchId: string;
  networkOperator: NetworkOperatorName;
}

/** Reads pages after a key until a page is not full or `limit` items are read. @returns the rest of the limit */
async function* pagesOf<Item extends { key: string | number }>(
  limit: number,
  first: string,
  read: (size: number, after: string | number) => Promise<Item[]>,
): AsyncGenerator<Item[], number> {
  let left = limit;
  for (let after: string | number = first; left > 0;) {
    const size = Math.min(left, PAGE_SIZE);
    const page = await read(size, after);
    const last = page.at(-1);
    if (last !== undefined) yield page;
    left -= page.length;
    if (last === undefined || page.length < size) break;
    after = last.key;
  }
  return left;
}

/** Reads the first identifiers that are imported, pending or errored. Identifiers of unexpanded chunks come last. */
async function* identifierPages(
  database: Queryable,
  batch: BatchAtNetworkOperator,
  part: keyof typeof STATES,
  limit: number,
) {
  let left = limit;
  for (const state of STATES[part]) {
    left = yield* pagesOf(left, '0', (size, after) => listRequests(database, batch, state, size, String(after)));
  }
  if (part !== 'imported') {
    yield* pagesOf(left, '-1', (size, after) => listChunk(database, batch, part === 'errored', size, Number(after)));
  }
}

interface ListedIdentifier {
  identifier: string;
  reason: string | null;
  key: string | number;
}

function listRequests(
  database: Queryable,
  { batchId, networkOperator }: BatchAtNetworkOperator,
  state: string,
  limit: number,
  after: string,
): Promise<ListedIdentifier[]> {
  return (
    kyselyOf<LookupTables>(database)
      .selectFrom('population_request as r')
      .select(['r.errored_reason as reason', 'r.look_up_id as key'])
      // A scalar subquery makes the planner find each lookup by its key instead of joining the whole table.
      .select(sql<string>`(select l.identifier from look_up l where l.id = r.look_up_id)`.as('identifier'))
      .where('r.batch_id', '=', batchId)
      .where('r.network_operator', '=', networkOperator)
      .where('r.state', '=', state)
      .where('r.look_up_id', '>', after)
      .orderBy('r.look_up_id')
      .limit(limit)
      .execute()
  );
}

/** Lists the identifiers of the next unexpanded chunk. A chunk has as many identifiers as a page. */
async function listChunk(
  database: Queryable,
  { batchId, networkOperator }: BatchAtNetworkOperator,
  isCancelled: boolean,
  limit: number,
  after: number,
): Promise<ListedIdentifier[]> {
  const found = await kyselyOf<LookupTables>(database)
    .selectFrom('population_chunk')
    .select(['chunk', 'identifiers'])
    .where('batch_id', '=', batchId)
    .where('network_operator', '=', networkOperator)
    .where('is_cancelled', '=', isCancelled)
    .where('chunk', '>', after)
    .orderBy('chunk')
    .limit(1)
    .executeTakeFirst();
  const reason = isCancelled ? ownErroredReasons.cancelled : null;
  return (found?.identifiers ?? []).slice(0, limit).map((identifier) => ({ identifier, reason, key: found!.chunk }));
}

/** An identifier that ended as errored, with the cursor of the list. */
export interface ErroredIdentifier {
  identifier: string;
  reason: string;
  key: string;
}

/** Lists the identifiers of a batch that ended as errored, after a key. */
export const listErrored = (database: Queryable, batch: BatchAtNetworkOperator, limit: number, after: string) =>
  listRequests(database, batch, 'errored', limit, after) as Promise<ErroredIdentifier[]>;

/** One list of the status of a batch, e.g. `pending_requests.prm_ids`; pages are read on demand. */
export interface BatchList {
  member: 'set_aside_requests' | 'pending_requests' | 'errored_requests' | 'imported_requests';
  name: string;
  pages: () => AsyncIterable<unknown[]>;
}

async function* itemsOf<Row>(pages: AsyncIterable<Row[]>, item: (row: Row) => unknown): AsyncGenerator<unknown[]> {
  for await (const page of pages) yield page.map(item);
}

/**
 * The lists of a batch, with at most `limit` identifiers each. An identifier may change from pending to errored or imported
 * during the read; with the lists in this order it may appear twice but is never missing.
 */
export function listsOf(database: Queryable, { batchId, operatorProgress }: BatchCounts, limit: number): BatchList[] {
  const plain = { enedis: 'prm_ids', grdf: 'pce_ids' } as const;
  const detailed = { enedis: 'prms', grdf: 'pces' } as const;
  const has = (networkOperator: NetworkOperatorName, part: 'imported' | 'pending' | 'errored') =>
    operatorProgress.some((one) => one.networkOperator === networkOperator && one[part] > 0);
  const of = (
    member: BatchList['member'],
    names: Record<NetworkOperatorName, string>,
    part: 'imported' | 'pending' | 'errored',
    pages: (batch: BatchAtNetworkOperator) => AsyncIterable<unknown[]>,
  ): BatchList[] =>
    (['enedis', 'grdf'] as const).map((networkOperator) => ({
      member,
      name: names[networkOperator],
      pages: async function* pagesIfAny() {
        if (has(networkOperator, part)) yield* pages({ batchId, networkOperator });
      },
    }));
  const identifiers = (part: keyof typeof STATES) => (batch: BatchAtNetworkOperator) =>
    identifierPages(database, batch, part, limit);
  return [
    ...of('set_aside_requests', detailed, 'pending', (batch) =>
      itemsOf(
        pagesOf(limit, '0', (size, after) =>
          listDeferred(database, batch.batchId, batch.networkOperator, size, String(after)),
        ),
        ({ identifier, tries, nextAttemptAt }) => ({
          id: identifier,
          tries,
          next_attempt_at: nextAttemptAt.toISOString(),
        }),
      ),
    ),
    ...of('pending_requests', plain, 'pending', (batch) =>
      itemsOf(identifiers('pending')(batch), ({ identifier }) => identifier),
    ),
    ...of('errored_requests', detailed, 'errored', (batch) =>
      itemsOf(identifiers('errored')(batch), ({ identifier, reason }) => ({ id: identifier, errored_reason: reason })),
    ),
    ...of('imported_requests', plain, 'imported', (batch) =>
      itemsOf(identifiers('imported')(batch), ({ identifier }) => identifier),
    ),
  ];
}
