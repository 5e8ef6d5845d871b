import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { ownErroredReasons, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchCounts } from '../populate/population-batch.store.ts';
import { listDeferred } from '../lookup/deferred-lookup.store.ts';

const LISTED: PreparedQuery = {
  name: 'population-requests-listed',
  text: `
    select l.identifier, r.errored_reason as reason, r.look_up_id as key from population_request r join look_up l on l.id = r.look_up_id
    where r.batch_id = $1 and r.network_operator = $2 and r.state = $3 and r.look_up_id > $5::bigint order by r.look_up_id limit $4`,
};

/** A chunk has as many identifiers as a page, so that one chunk is read at a time. */
const NOT_EXPANDED: PreparedQuery = {
  name: 'population-not-expanded-listed',
  text: `
    select u as identifier, case when c.is_cancelled then '${ownErroredReasons.cancelled}' end as reason, c.chunk as key
    from (select * from population_chunk where batch_id = $1 and network_operator = $2 and is_cancelled = $3 and chunk > $5::integer order by chunk limit 1) c,
      unnest(c.identifiers) with ordinality as i (u, n) order by n limit $4`,
};
const STATES = { imported: ['imported'], pending: ['pending', 'deferred'], errored: ['errored'] } as const;
/** Identifiers that are read at once, however many are listed. */
const PAGE_SIZE = 1_000;

interface BatchAtNetworkOperator {
  batchId: string;
  networkOperator: NetworkOperatorName;
}

/** Reads on from a key until a page is not full, and no more than so many items. */
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

/** The first identifiers that are imported, pending or errored; those not yet expanded come last. */
async function* identifierPages(
  database: Queryable,
  { batchId, networkOperator }: BatchAtNetworkOperator,
  part: keyof typeof STATES,
  limit: number,
) {
  type Listed = { identifier: string; reason: string | null; key: string | number };
  const reading = (statement: PreparedQuery, state: unknown) => (size: number, after: string | number) =>
    run<Listed>(database, statement, [batchId, networkOperator, state, size, after]);
  let left = limit;
  for (const state of STATES[part]) left = yield* pagesOf(left, '0', reading(LISTED, state));
  if (part !== 'imported') yield* pagesOf(left, '-1', reading(NOT_EXPANDED, part === 'errored'));
}

/** An identifier that ended as errored, and where it stands in the list. */
export interface ErroredIdentifier {
  identifier: string;
  reason: string;
  key: string;
}

/** Identifiers of a batch that the network operator was asked for and that ended as errored, after a key. */
export async function listErrored(
  database: Queryable,
  { batchId, networkOperator }: BatchAtNetworkOperator,
  limit: number,
  after: string,
): Promise<ErroredIdentifier[]> {
  return run<ErroredIdentifier & Record<string, unknown>>(database, LISTED, [
    batchId,
    networkOperator,
    'errored',
    limit,
    after,
  ]);
}

/** One list of the status of a batch, e.g. `pending_requests.prm_ids`; its pages are read as they are asked for. */
export interface BatchList {
  member: 'set_aside_requests' | 'pending_requests' | 'errored_requests' | 'imported_requests';
  name: string;
  pages: () => AsyncIterable<unknown[]>;
}

async function* itemsOf<Row>(pages: AsyncIterable<Row[]>, item: (row: Row) => unknown): AsyncGenerator<unknown[]> {
  for await (const page of pages) yield page.map(item);
}

/**
 * The lists of a batch, at most `limit` identifiers in each. An identifier goes on while they are read, from pending to
 * errored or imported: they stand in this order, so that it may be seen twice and is never missing.
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
