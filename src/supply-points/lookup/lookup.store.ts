import type { EntityManager } from '@mikro-orm/postgresql';
import { v4 as uuidv4 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { supplyTypeOfNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { completeWork, forgetSignal, lockWork } from '../../platform/work-items/work-item.store.ts';
import { noteServed, ownerOf, readTurns, worthwhileSize } from './lookup-turn.store.ts';
import { expandNextChunk } from '../populate/expand-batch.store.ts';

/** An identifier that is to be asked for now. */
export interface Lookup {
  id: string;
  identifier: string;
  /** The attempt that holds it: what any other says of it is passed over. */
  takenBy: string;
  /** The network operator is told that the customer has authorised the question. */
  customerAuthorisation: boolean;
}

/** What became of a lookup. `failed`: a try of it is used up; it is asked again when `dueSeconds` have passed. */
export type LookupOutcome = Lookup &
  (
    | { kind: 'imported'; facts: Readonly<Record<string, string | number>>; source: string }
    | { kind: 'errored'; reason: string }
    | { kind: 'failed'; failure: string; dueSeconds: number }
  );

/** A page that was taken, or how long there is nothing to take; null when nothing waits that nobody works on. */
export type TakenPage = TakenLookups | { dueSeconds: number | null };

/** A page of lookups, held by one attempt. */
export interface TakenLookups {
  takenBy: string;
  /** Whose they are; turns go round among owners. */
  owner: string;
  lookups: Lookup[];
}

/** The attempt before may still be at work, or thaw one day; what it writes from now on is passed over. */
const TAKE_PAGE_OVER: PreparedQuery = {
  name: 'lookup-page-take-over',
  text: 'update look_up_page set held_by = $2, taken_at = clock_timestamp() where id = $1 returning look_up_ids as "lookupIds", old.held_by as "heldBefore"',
};

/** A statement of its own: it must see what the attempt before wrote while the page was waited for. */
const TAKE_LOOKUPS_OVER: PreparedQuery = {
  name: 'lookups-take-over',
  text: `
    update look_up l set taken_by = $2 where l.id = any($1) and l.taken_by = $3 and l.state = 'pending'
    returning l.id, l.identifier, l.taken_by as "takenBy", l.customer_authorisation as "customerAuthorisation"`,
};

/** Deferred, and due again. */
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

const NEXT_DUE: PreparedQuery = {
  name: 'lookup-next-due',
  text: 'select extract(epoch from min(due_at) - now())::float8 as seconds from look_up where network_operator = $1 and due_at is not null',
};

const TAKE: PreparedQuery = {
  name: 'lookup-take',
  text: `
    with free as (
      select l.id from population_request r join look_up l on l.id = r.look_up_id
      where r.batch_id = $1 and r.network_operator = $2 and r.state = 'pending' and l.state = 'pending' and l.taken_by is null
      order by r.look_up_id limit $3
      for no key update of l skip locked
    )
    update look_up l set taken_by = $4 from free where l.id = free.id returning l.id, l.identifier, l.taken_by as "takenBy", l.customer_authorisation as "customerAuthorisation"`,
};

const INSERT_PAGE: PreparedQuery = {
  name: 'lookup-page-insert',
  text: 'insert into look_up_page (id, network_operator, look_up_ids, held_by) values ($1, $2, $3, $4)',
};

/** A page that is to be taken. */
export interface WantedPage {
  pageId: string;
  networkOperator: NetworkOperatorName;
  size: number;
  /** How long it is worked on. */
  seconds: number;
  knownDays: number;
}

/**
 * Takes a page for an attempt of an activity, from the batch whose turn it is. The same page id again gets what is left of
 * the page: an activity that died is run again with it, and asks nothing twice that was completed.
 */
export async function takePage(database: Database, page: WantedPage): Promise<TakenPage> {
  const { pageId, networkOperator } = page;
  const takenBy = uuidv4();
  const left = await database.transaction((em) => takeOver(em, pageId, takenBy));
  const [oneLeft] = left;
  if (oneLeft !== undefined) return { takenBy, owner: await ownerOf(database, oneLeft.id), lookups: left };
  await run(database, RELEASE_PAGE, [pageId, takenBy]);
  await forgetSignal(database, workflowIds.lookUpSupplyPoints(networkOperator));
  await run(database, WAKE_DUE, [networkOperator]);
  const size = await worthwhileSize(database, networkOperator, page);
  for (const { batchId, owner } of await readTurns(database, networkOperator)) {
    // One transaction for each, so that none waits for a lookup while it holds a batch.
    const lookups = await database.transaction((em) => takeFrom(em, { ...page, size }, batchId, takenBy));
    if (lookups.length > 0) return { takenBy, owner, lookups };
  }
  const [next] = await run<{ seconds: number | null }>(database, NEXT_DUE, [networkOperator]);
  return { dueSeconds: next?.seconds ?? null };
}

/** What an earlier attempt at the page has left. */
async function takeOver(em: EntityManager, pageId: string, takenBy: string): Promise<Lookup[]> {
  const [page] = await run<{ lookupIds: string[]; heldBefore: string }>(em, TAKE_PAGE_OVER, [pageId, takenBy]);
  return page === undefined
    ? []
    : run<Lookup & Record<string, unknown>>(em, TAKE_LOOKUPS_OVER, [page.lookupIds, takenBy, page.heldBefore]);
}

async function takeFrom(
  em: EntityManager,
  { pageId, networkOperator, size, knownDays }: WantedPage,
  batchId: string,
  takenBy: string,
): Promise<Lookup[]> {
  const lookups = await run<Lookup & Record<string, unknown>>(em, TAKE, [batchId, networkOperator, size, takenBy]);
  while (lookups.length < size && (await expandNextChunk(em, { batchId, networkOperator, knownDays }))) {
    lookups.push(
      ...(await run<Lookup & Record<string, unknown>>(em, TAKE, [
        batchId,
        networkOperator,
        size - lookups.length,
        takenBy,
      ])),
    );
  }
  // Also a batch that had nothing free has had its turn: all of its own is under way or deferred.
  await noteServed(em, batchId, networkOperator);
  if (lookups.length > 0) await run(em, INSERT_PAGE, [pageId, networkOperator, lookups.map(({ id }) => id), takenBy]);
  return lookups;
}

const RELEASE_PAGE: PreparedQuery = {
  name: 'lookup-page-release',
  text: `
    with gone as (delete from look_up_page where id = $1 and held_by = $2 returning look_up_ids)
    update look_up l set taken_by = null from gone where l.id = any(gone.look_up_ids) and l.taken_by = $2`,
};

/** A master record is written only for an outcome that counts. */
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
 * Writes outcomes: master records, lookups, the requests of all batches that wait for them, and their counts, at once.
 * What was found with a customer's authorisation says more, and is not replaced by what somebody finds without one.
 * What was taken over by another attempt, or is written already, is passed over.
 * @returns the batches that have ended by it
 */
export async function completeLookups(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  outcomes: readonly LookupOutcome[],
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const ended = await run<{ ended_batch: string }>(database, COMPLETE, [
    outcomes.map(({ id }) => id),
    outcomes.map(({ takenBy }) => takenBy),
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

/** A page as one attempt holds it. */
export interface HeldPage {
  pageId: string;
  takenBy: string;
}

/**
 * Writes the failed tries of a page and gives back what it has not asked.
 * @returns the batches that have ended by it
 */
export async function releasePage(
  database: Database,
  networkOperator: NetworkOperatorName,
  page: HeldPage,
  failed: readonly LookupOutcome[] = [],
): Promise<string[]> {
  return database.transaction(async (em) => {
    const ended = await completeLookups(em, networkOperator, failed);
    await run(em, RELEASE_PAGE, [page.pageId, page.takenBy]);
    return ended;
  });
}

/** How often lookups were tried in vain, and since when they have been deferred. */
const TRIES: PreparedQuery = {
  name: 'lookup-tries',
  text: 'select id, tries, coalesce(extract(epoch from now() - deferred_at), 0)::float8 as seconds from look_up where id = any($1::bigint[])',
};

export interface Tries {
  tries: number;
  /** Seconds since the first try in vain of this row of them. */
  seconds: number;
}

/** Reads the tries of lookups by their ids. */
export async function findTries(database: Queryable, ids: readonly string[]): Promise<Map<string, Tries>> {
  const rows = await run<{ id: string; tries: number; seconds: number }>(database, TRIES, [ids]);
  return new Map(rows.map(({ id, tries, seconds }) => [id, { tries, seconds }]));
}

/** Only pages that were there before the step was scheduled: one that runs late must not take the pages of its successors away. */
const RELEASE_LEFT: PreparedQuery = {
  name: 'lookup-page-release-left',
  text: `
    with gone as (delete from look_up_page where network_operator = $1 and taken_at < to_timestamp($2::float8 / 1000) returning look_up_ids, held_by)
    update look_up l set taken_by = null from gone where l.id = any(gone.look_up_ids) and l.taken_by = gone.held_by`,
};
const ANY_OPEN: PreparedQuery = {
  name: 'lookups-any-open',
  text: 'select 1 from population_operator_progress where network_operator = $1 and imported + errored < accepted limit 1',
};

/**
 * Gives back the pages of a network operator whose run was lost; nobody works on them when a new run begins.
 * @param scheduledAtMs when this step was scheduled
 */
export async function releaseLeftPages(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  scheduledAtMs: number,
): Promise<void> {
  await run(database, RELEASE_LEFT, [networkOperator, scheduledAtMs]);
}

/**
 * Ends the work of a network operator when nothing is pending any more. A batch that is being accepted at this moment holds the
 * work item, so that it is seen here, or finds it gone and enqueues it anew.
 * @returns false when something waits after all
 */
export async function endLookUps(
  database: Database,
  networkOperator: NetworkOperatorName,
  scheduledAtMs: number,
): Promise<boolean> {
  const workflowId = workflowIds.lookUpSupplyPoints(networkOperator);
  return database.transaction(async (em) => {
    await lockWork(em, workflowId, scheduledAtMs);
    // The run that asks has no page open, so these are left over.
    await run(em, RELEASE_LEFT, [networkOperator, scheduledAtMs]);
    if ((await run(em, ANY_OPEN, [networkOperator])).length > 0) return false;
    await completeWork(em, [workflowId]);
    return true;
  });
}
