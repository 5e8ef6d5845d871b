import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { v4 as uuidv4 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { type NetworkOperatorName, supplyTypeOfNetworkOperator } from '../../vocabulary/network-operators.ts';
import { completeWork, forgetSignal, lockWork } from '../../platform/work-items/work-item.store.ts';
import { expandNextChunk } from '../populate/expand-batch.store.ts';
import { hasOpenLookups } from '../throttle/throttle.store.ts';
import { LookupPage, type LookupTables, PopulationOperatorProgress } from '../supply-point.entity.ts';

/** An identifier to look up now. */
export interface Lookup {
  id: string;
  identifier: string;
  /** The attempt that holds it; outcomes from any other attempt are ignored. */
  attemptId: string;
  /** Whether the request declares to the network operator that the customer has authorised it. */
  customerAuthorisation: boolean;
}

/** The outcome of a lookup. `failed` counts as a try; the lookup is retried after `dueSeconds`. */
export type LookupOutcome = Lookup &
  (
    | { kind: 'imported'; facts: Readonly<Record<string, string | number>>; source: string }
    | { kind: 'errored'; reason: string }
    | { kind: 'failed'; failure: string; dueSeconds: number }
  );

/** A page, or the seconds until the next deferred lookup is due (null without deferred lookups). */
type NextPage = AcquiredPage | { dueSeconds: number | null };

/** A page of lookups, held by one attempt. */
export interface AcquiredPage {
  attemptId: string;
  /** The organisation that owns them; organisations are served in rotation. */
  owner: string;
  lookups: Lookup[];
}

/** Makes deferred lookups that are due pending again. */
const WAKE_DUE: PreparedQuery = {
  name: 'lookup-wake-due',
  text: `
    with due as (
      select id from look_up where network_operator = $1 and due_at <= now() order by due_at limit 500 for no key update skip locked
    ), woken as (
      update look_up l set state = 'pending', due_at = null from due where l.id = due.id returning l.id
    )
    update population_request r set state = 'pending' from woken w where r.look_up_id = w.id and r.state = 'deferred'`,
};

const ACQUIRE: PreparedQuery = {
  name: 'lookup-take',
  text: `
    with free as (
      select l.id from population_request r join look_up l on l.id = r.look_up_id
      where r.batch_id = $1 and r.network_operator = $2 and r.state = 'pending' and l.state = 'pending' and l.taken_by is null
      order by r.look_up_id limit $3
      for no key update of l skip locked
    )
    update look_up l set taken_by = $4 from free where l.id = free.id returning l.id, l.identifier, l.taken_by as "attemptId", l.customer_authorisation as "customerAuthorisation"`,
};

/** The page to take. */
interface WantedPage {
  pageId: string;
  networkOperator: NetworkOperatorName;
  size: number;
  /** How long the activity works on it. */
  seconds: number;
  knownDays: number;
}

/**
 * Takes a page for an attempt of an activity, from the batch that is next. A retry of the activity passes the same page id
 * and gets the rest of the page, so that no completed lookup is repeated.
 */
export async function acquirePage(database: Database, page: WantedPage): Promise<NextPage> {
  const { pageId, networkOperator } = page;
  const attemptId = uuidv4();
  const remaining = await database.transaction((em) => resumePage(em, pageId, attemptId));
  const [first] = remaining;
  if (first !== undefined) return { attemptId, owner: await ownerOf(database, first.id), lookups: remaining };
  await release(database, sql`id = ${pageId} and held_by = ${attemptId}`);
  await forgetSignal(database, workflowIds.lookUpSupplyPoints(networkOperator));
  await run(database, WAKE_DUE, [networkOperator]);
  const size = await worthwhileSize(database, networkOperator, page);
  for (const { batchId, owner } of await findNextBatches(database, networkOperator)) {
    // One transaction per batch, so that no transaction waits for a lookup while it holds a batch.
    const lookups = await database.transaction((em) => acquireFromBatch(em, { ...page, size }, batchId, attemptId));
    if (lookups.length > 0) return { attemptId, owner, lookups };
  }
  const { dueSeconds } = await kyselyOf<LookupTables>(database)
    .selectFrom('look_up')
    .select(sql<number | null>`extract(epoch from min(due_at) - now())::float8`.as('dueSeconds'))
    .where('network_operator', '=', networkOperator)
    .where('due_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return { dueSeconds };
}

/** Takes over the lookups that an earlier attempt at the page has not completed. That attempt may still run; its later outcomes are ignored. */
async function resumePage(em: EntityManager, pageId: string, attemptId: string): Promise<Lookup[]> {
  const tables = kyselyOf<LookupTables>(em);
  const page = await tables
    .updateTable('look_up_page')
    .set({ held_by: attemptId, taken_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', pageId)
    .returning(['look_up_ids', sql<string>`old.held_by`.as('heldBefore')])
    .executeTakeFirst();
  if (page === undefined) return [];
  // A separate statement, because it must see what the earlier attempt wrote before this one acquired the lock of the page.
  return tables
    .updateTable('look_up')
    .set({ taken_by: attemptId })
    .where('id', '=', sql<string>`any(${page.look_up_ids})`)
    .where('taken_by', '=', page.heldBefore)
    .where('state', '=', 'pending')
    .returning([
      'id',
      'identifier',
      sql<string>`taken_by`.as('attemptId'),
      'customer_authorisation as customerAuthorisation',
    ])
    .execute();
}

async function acquireFromBatch(
  em: EntityManager,
  { pageId, networkOperator, size, knownDays }: WantedPage,
  batchId: string,
  attemptId: string,
): Promise<Lookup[]> {
  const lookups: Lookup[] = [];
  do {
    const values = [batchId, networkOperator, size - lookups.length, attemptId];
    lookups.push(...(await run<Lookup & Record<string, unknown>>(em, ACQUIRE, values)));
  } while (lookups.length < size && (await expandNextChunk(em, { batchId, networkOperator, knownDays })));
  // Even if the batch had no free lookup, because all its lookups are in progress or deferred.
  await recordServed(em, batchId, networkOperator);
  if (lookups.length > 0) {
    const lookupIds = lookups.map(({ id }) => id);
    await em.insert(LookupPage, { id: pageId, networkOperator, lookupIds, heldBy: attemptId });
  }
  return lookups;
}

/** Deletes pages and releases their lookups, unless another attempt has taken them over. */
async function release(on: Queryable, condition: RawBuilder<boolean>): Promise<void> {
  await kyselyOf<LookupTables>(on)
    .with('gone', (of) => of.deleteFrom('look_up_page').where(condition).returning(['look_up_ids', 'held_by']))
    .updateTable('look_up as l')
    .from('gone')
    .set({ taken_by: null })
    .where('l.id', '=', sql<string>`any(gone.look_up_ids)`)
    .whereRef('l.taken_by', '=', 'gone.held_by')
    .execute();
}

/** Stores a supply point only for an outcome that is not ignored. */
const COMPLETE: PreparedQuery = {
  name: 'lookup-complete',
  text: `
    with done as materialized (select place, ended_batch from complete_look_ups($1, $2, $3, $4, $5, $6)), points as (
      insert into supply_point (supply_type, identifier, facts, facts_source, facts_with_authorisation, populated_at)
      select distinct on (p.identifier collate "C") $7, p.identifier, p.facts, p.source, p.authorised, now()
      from unnest($8::text[], $9::jsonb[], $10::text[], $11::boolean[]) with ordinality as p (identifier, facts, source, authorised, place) join done d on d.place = p.place
      where p.facts is not null order by p.identifier collate "C", p.authorised desc
      on conflict (supply_type, identifier) do update set facts = excluded.facts, facts_source = excluded.facts_source,
        facts_with_authorisation = excluded.facts_with_authorisation, populated_at = excluded.populated_at
      where excluded.facts_with_authorisation or not supply_point.facts_with_authorisation
    )
    select ended_batch from done where ended_batch is not null`,
};

const STATE = { imported: 'imported', errored: 'errored', failed: 'deferred' } as const;

/**
 * Writes outcomes in one transaction: master records, lookups, the requests of all batches that contain them, and counts.
 * Facts that were found with a customer's authorisation are more complete, so facts found without one do not replace them.
 * Outcomes of lookups that another attempt has taken over or completed are ignored.
 * @returns the batches that have ended as a result
 */
export async function completeLookups(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  outcomes: readonly LookupOutcome[],
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const ended = await run<{ ended_batch: string }>(database, COMPLETE, [
    outcomes.map(({ id }) => id),
    outcomes.map(({ attemptId }) => attemptId),
    outcomes.map(({ kind }) => STATE[kind]),
    outcomes.map((outcome) => (outcome.kind === 'errored' ? outcome.reason : null)),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.failure : null)),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.dueSeconds : null)),
    supplyTypeOfNetworkOperator[networkOperator],
    outcomes.map(({ identifier }) => identifier),
    outcomes.map((outcome) => (outcome.kind === 'imported' ? JSON.stringify(outcome.facts) : null)),
    outcomes.map((outcome) => (outcome.kind === 'imported' ? outcome.source : null)),
    outcomes.map(({ customerAuthorisation }) => customerAuthorisation),
  ]);
  return ended.map(({ ended_batch: batchId }) => batchId);
}

/** A page that an attempt holds. */
interface PageAttempt {
  pageId: string;
  attemptId: string;
}

/**
 * Stores the failed tries of a page and releases its remaining lookups.
 * @returns the batches that have ended as a result
 */
export async function releasePage(
  database: Database,
  networkOperator: NetworkOperatorName,
  page: PageAttempt,
  failed: readonly LookupOutcome[] = [],
): Promise<string[]> {
  return database.transaction(async (em) => {
    const ended = await completeLookups(em, networkOperator, failed);
    await release(em, sql`id = ${page.pageId} and held_by = ${page.attemptId}`);
    return ended;
  });
}

export interface Tries {
  tries: number;
  /** Seconds since the first of these failed tries. */
  seconds: number;
}

/** Reads the tries of lookups by their ids. */
export async function findTries(database: Queryable, ids: readonly string[]): Promise<Map<string, Tries>> {
  const rows = await kyselyOf<LookupTables>(database)
    .selectFrom('look_up')
    .select(['id', 'tries', sql<number>`coalesce(extract(epoch from now() - deferred_at), 0)::float8`.as('seconds')])
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute();
  return new Map(rows.map(({ id, tries, seconds }) => [id, { tries, seconds }]));
}

/**
 * Releases the pages of a lost run of a network operator.
 * @param scheduledAtMs when this step was scheduled; later pages belong to the next run and are kept
 */
export async function releaseAbandonedPages(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  scheduledAtMs: number,
): Promise<void> {
  await release(
    database,
    sql`network_operator = ${networkOperator} and taken_at < to_timestamp(${scheduledAtMs}::float8 / 1000)`,
  );
}

/**
 * Completes the work item of a network operator if no identifier is pending. Accepting a batch locks the work item too: the batch is either
 * visible here, or it finds the work item completed and enqueues it again.
 * @returns false when identifiers are pending
 */
export async function completeLookupWork(
  database: Database,
  networkOperator: NetworkOperatorName,
  scheduledAtMs: number,
): Promise<boolean> {
  const workflowId = workflowIds.lookUpSupplyPoints(networkOperator);
  return database.transaction(async (em) => {
    await lockWork(em, workflowId);
    // The calling run holds no page, so any page is left over from a lost run.
    await releaseAbandonedPages(em, networkOperator, scheduledAtMs);
    if (await hasOpenLookups(em, networkOperator)) return false;
    await completeWork(em, [workflowId]);
    return true;
  });
}

/** A batch to serve, and the organisation that owns it. */
interface NextBatch {
  batchId: string;
  owner: string;
}

/**
 * Fair scheduling: first the organisation that was served longest ago, or if never served, has waited longest; of its batches, the one
 * served longest ago. Only batches with free lookups.
 */
const NEXT_BATCHES: PreparedQuery = {
  name: 'lookup-next-batches',
  text: `
    select batch_id as "batchId", organisation_id as owner from (
      select s.batch_id, b.organisation_id
      from population_operator_progress s join population_batch b on b.id = s.batch_id
      where s.network_operator = $1 and s.imported + s.errored < s.accepted
      window owners as (partition by b.organisation_id rows between unbounded preceding and unbounded following)
      order by coalesce(max(nullif(s.served_at, '-infinity')) over owners, min(b.created_at) over owners), b.organisation_id, s.served_at, s.batch_id
      offset 0
    ) open
    where exists (select from population_chunk p where p.batch_id = open.batch_id and p.network_operator = $1 and not p.is_cancelled)
      or exists (
        select from population_request r join look_up l on l.id = r.look_up_id
        where r.batch_id = open.batch_id and r.network_operator = $1 and r.state = 'pending' and l.state = 'pending' and l.taken_by is null
      )
    limit 10`,
};

/** Returns the next batches to serve at a network operator. */
async function findNextBatches(database: Queryable, networkOperator: NetworkOperatorName): Promise<NextBatch[]> {
  return run<NextBatch & Record<string, unknown>>(database, NEXT_BATCHES, [networkOperator]);
}

/**
 * Limits a page to twice the lookups that fit into its time at the network operator's speed, because releasing an unused lookup costs as
 * much as completing one.
 */
async function worthwhileSize(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  { size, seconds }: { size: number; seconds: number },
): Promise<number> {
  const row = await kyselyOf<LookupTables>(database)
    .selectFrom('throttle')
    .select(
      sql<number>`least(${size}::integer, greatest(8, ceil(2 * ${seconds} * least(requests_per_second, requests_per_hour / 3600))))::integer`.as(
        'size',
      ),
    )
    .where('network_operator', '=', networkOperator)
    .executeTakeFirstOrThrow();
  return row.size;
}

/** Records that a batch has been served. */
async function recordServed(em: EntityManager, batchId: string, networkOperator: NetworkOperatorName): Promise<void> {
  const servedAt = raw('clock_timestamp()');
  await em.nativeUpdate(PopulationOperatorProgress, { batchId, networkOperator }, { servedAt });
}

/** Returns an organisation that owns a lookup. */
async function ownerOf(database: Queryable, lookupId: string): Promise<string> {
  const row = await kyselyOf<LookupTables>(database)
    .selectFrom('population_request as r')
    .innerJoin('population_batch as b', 'b.id', 'r.batch_id')
    .select('b.organisation_id as owner')
    .where('r.look_up_id', '=', lookupId)
    .orderBy('r.batch_id')
    .limit(1)
    .executeTakeFirst();
  return row?.owner ?? '';
}
