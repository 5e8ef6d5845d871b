import { workflowIds } from '../../temporal.config.ts';
import type { Database, Queryable, Statement, Transaction } from '../platform/database/database.ts';
import { supplyTypeOfOperator, type NetworkOperatorName } from '../vocabulary/network-operators.ts';
import { unfoldNextPart } from './unfold.store.ts';

/** An identifier that is to be asked for now. */
export interface LookUp {
  id: string;
  identifier: string;
}

/** What became of a look-up. `failed`: a try of it is used up; it is asked again when `dueSeconds` have passed. */
export type LookUpOutcome =
  | { id: string; identifier: string; kind: 'imported'; facts: Readonly<Record<string, string | number>>; source: string }
  | { id: string; identifier: string; kind: 'errored'; reason: string }
  | { id: string; identifier: string; kind: 'failed'; failure: string; dueSeconds: number };

/** A page that was taken, or how long there is nothing to take; null when nothing waits that nobody works on. */
export type TakenPage = { lookUps: LookUp[] } | { dueSeconds: number | null };

const OPEN_PAGE: Statement = {
  name: 'look-up-page-open',
  text: `
    select l.id, l.identifier from look_up_page p, unnest(p.look_up_ids) with ordinality as u (id, n) join look_up l on l.id = u.id
    where p.id = $1 and l.is_taken and l.state = 'pending' order by n`,
};

/** Set aside and due again. */
const WAKE_DUE: Statement = {
  name: 'look-up-wake-due',
  text: `
    with due as (
      select id from look_up where network_operator = $1 and due_at <= now() order by due_at limit 500 for no key update skip locked
    ), woken as (
      update look_up l set state = 'pending', due_at = null from due where l.id = due.id returning l.id
    )
    update population_request r set state = 'pending' from woken w where r.look_up_id = w.id and r.state = 'set-aside'`,
};

const NEXT_DUE: Statement = {
  name: 'look-up-next-due',
  text: 'select extract(epoch from min(due_at) - now())::float8 as seconds from look_up where network_operator = $1 and due_at is not null',
};

/** Whose turn it is: the batch that was served longest ago. */
const TURNS: Statement = {
  name: 'look-up-turns',
  text: `select batch_id from population_share where network_operator = $1 and imported + errored < accepted order by served_at, batch_id limit 50`,
};

const SERVED: Statement = {
  name: 'look-up-served',
  text: 'update population_share set served_at = clock_timestamp() where batch_id = $1 and network_operator = $2',
};

const TAKE: Statement = {
  name: 'look-up-take',
  text: `
    with free as (
      select l.id from population_request r join look_up l on l.id = r.look_up_id
      where r.batch_id = $1 and r.network_operator = $2 and r.state = 'pending' and l.state = 'pending' and not l.is_taken
      order by r.look_up_id limit $3
      for no key update of l skip locked
    )
    update look_up l set is_taken = true from free where l.id = free.id returning l.id, l.identifier`,
};

const INSERT_PAGE: Statement = { name: 'look-up-page-insert', text: 'insert into look_up_page (id, network_operator, look_up_ids) values ($1, $2, $3)' };

/** A page that is to be taken. */
export interface WantedPage {
  pageId: string;
  networkOperator: NetworkOperatorName;
  size: number;
  knownDays: number;
}

/**
 * Takes a page for an activity, from the batch whose turn it is. The same page id again gets what is left of the page:
 * an activity that died is run again with it, and asks nothing twice that was settled.
 */
export async function takePage(database: Database, page: WantedPage): Promise<TakenPage> {
  const { pageId, networkOperator } = page;
  const left = await database.run<LookUp & Record<string, unknown>>(OPEN_PAGE, [pageId]);
  if (left.length > 0) return { lookUps: left };
  await database.run(RELEASE_PAGE, [pageId]);
  await database.run(WAKE_DUE, [networkOperator]);
  for (const { batch_id: batchId } of await database.run<{ batch_id: string }>(TURNS, [networkOperator])) {
    // One transaction for each, so that none waits for a look-up while it holds a batch.
    const lookUps = await database.transaction((tx) => takeFrom(tx, page, batchId));
    if (lookUps.length > 0) return { lookUps };
  }
  const [next] = await database.run<{ seconds: number | null }>(NEXT_DUE, [networkOperator]);
  return { dueSeconds: next?.seconds ?? null };
}

async function takeFrom(tx: Transaction, { pageId, networkOperator, size, knownDays }: WantedPage, batchId: string): Promise<LookUp[]> {
  const lookUps = await tx.run<LookUp & Record<string, unknown>>(TAKE, [batchId, networkOperator, size]);
  while (lookUps.length < size && (await unfoldNextPart(tx, { batchId, networkOperator, knownDays }))) {
    lookUps.push(...(await tx.run<LookUp & Record<string, unknown>>(TAKE, [batchId, networkOperator, size - lookUps.length])));
  }
  // Also a batch that had nothing free has had its turn: all of its own is under way or set aside.
  await tx.run(SERVED, [batchId, networkOperator]);
  if (lookUps.length > 0) await tx.run(INSERT_PAGE, [pageId, networkOperator, lookUps.map(({ id }) => id)]);
  return lookUps;
}

const RELEASE_PAGE: Statement = {
  name: 'look-up-page-release',
  text: `
    with gone as (delete from look_up_page where id = $1 returning look_up_ids)
    update look_up l set is_taken = false from gone where l.id = any(gone.look_up_ids) and l.is_taken and l.state = 'pending'`,
};

const SETTLE: Statement = {
  name: 'look-up-settle',
  text: `
    with points as (
      insert into supply_point (supply_type, identifier, facts, facts_source, populated_at)
      select $6, identifier, facts, source, now() from unnest($7::text[], $8::jsonb[], $9::text[]) as p (identifier, facts, source) order by identifier collate "C"
      on conflict (supply_type, identifier) do update set facts = excluded.facts, facts_source = excluded.facts_source, populated_at = excluded.populated_at
    )
    select settle_look_ups($1::bigint[], $2::text[], $3::text[], $4::text[], array(select now() + make_interval(secs => s) from unnest($5::float8[]) with ordinality as d (s, n) order by n))`,
};

const STATE = { imported: 'imported', errored: 'errored', failed: 'set-aside' } as const;

/**
 * Writes outcomes: master records, look-ups, the requests of all batches that wait for them, and their counts, at once.
 * Writing one twice changes nothing but a time.
 */
export async function settleLookUps(database: Queryable, networkOperator: NetworkOperatorName, outcomes: readonly LookUpOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const imported = outcomes.filter((outcome) => outcome.kind === 'imported');
  await database.run(SETTLE, [
    outcomes.map(({ id }) => id),
    outcomes.map(({ kind }) => STATE[kind]),
    outcomes.map((outcome) => (outcome.kind === 'errored' ? outcome.reason : null)),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.failure : null)),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.dueSeconds : null)),
    supplyTypeOfOperator[networkOperator],
    imported.map(({ identifier }) => identifier),
    imported.map(({ facts }) => JSON.stringify(facts)),
    imported.map(({ source }) => source),
  ]);
}

/** Gives back what a page has not asked, then writes its failed tries: in this order, or a look-up could be taken twice. */
export async function releasePage(database: Database, networkOperator: NetworkOperatorName, pageId: string, failed: readonly LookUpOutcome[] = []): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(RELEASE_PAGE, [pageId]);
    await settleLookUps(tx, networkOperator, failed);
  });
}

/** How often look-ups were tried in vain, and since when they have been set aside. */
const TRIES: Statement = {
  name: 'look-up-tries',
  text: 'select id, tries, coalesce(extract(epoch from now() - set_aside_at), 0)::float8 as seconds from look_up where id = any($1::bigint[])',
};

export interface Tries {
  tries: number;
  /** Seconds since the first try in vain of this row of them. */
  seconds: number;
}

/** Reads the tries of look-ups by their ids. */
export async function findTries(database: Queryable, ids: readonly string[]): Promise<Map<string, Tries>> {
  const rows = await database.run<{ id: string; tries: number; seconds: number }>(TRIES, [ids]);
  return new Map(rows.map(({ id, tries, seconds }) => [id, { tries, seconds }]));
}

const LOCK_OWED: Statement = { name: 'look-ups-lock-owed', text: 'select 1 from unfinished_work where workflow_id = $1 for update' };
const RELEASE_ALL: Statement = {
  name: 'look-up-page-release-all',
  text: `
    with gone as (delete from look_up_page where network_operator = $1 returning look_up_ids)
    update look_up l set is_taken = false from gone where l.id = any(gone.look_up_ids) and l.is_taken and l.state = 'pending'`,
};
const ANY_OPEN: Statement = { name: 'look-ups-any-open', text: 'select 1 from population_share where network_operator = $1 and imported + errored < accepted limit 1' };
const OWED_NO_MORE: Statement = { name: 'look-ups-owed-no-more', text: 'delete from unfinished_work where workflow_id = $1' };

/** Gives back the pages of an operator whose run was lost; nobody works on them when a new run begins. */
export async function releaseLeftPages(database: Queryable, networkOperator: NetworkOperatorName): Promise<void> {
  await database.run(RELEASE_ALL, [networkOperator]);
}

/**
 * Ends the work of an operator when nothing waits any more. A batch that is being accepted at this moment holds the row of
 * the owed work, so that it is seen here, or finds the row gone and owes it anew.
 * @returns false when something waits after all
 */
export async function endLookUps(database: Database, networkOperator: NetworkOperatorName): Promise<boolean> {
  const workflowId = workflowIds.lookUpSupplyPoints(networkOperator);
  return database.transaction(async (tx) => {
    await tx.run(LOCK_OWED, [workflowId]);
    // The run that asks has no page open, so these are left over.
    await tx.run(RELEASE_ALL, [networkOperator]);
    if ((await tx.run(ANY_OPEN, [networkOperator])).length > 0) return false;
    await tx.run(OWED_NO_MORE, [workflowId]);
    return true;
  });
}
