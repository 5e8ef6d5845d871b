import type { EntityManager } from '@mikro-orm/postgresql';
import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { Caller } from '../platform/http/route.ts';
import { type AskingRow, type AskingState, asking } from '../platform/work-items/compared-work.store.ts';
import { type WorkItem, completeWork, enqueueWork, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { Reconciliation } from './reconciliation.entity.ts';
import { emptyTally } from './tally.rules.ts';
import { workflowIds } from '../../temporal.config.ts';

/** A reconciliation as it is stored. */
export type ReconciliationRecord = {
  [
    Name in keyof Pick<
      Reconciliation,
      | 'id'
      | 'importSupplier'
      | 'importJobId'
      | 'organisation'
      | 'status'
      | 'subject'
      | 'position'
      | 'tally'
      | 'listed'
      | 'version'
      | 'createdAt'
      | 'endedAt'
    >
  ]: Exclude<Reconciliation[Name], undefined>;
};
type Row = ReconciliationRecord & Record<string, unknown>;

/** Who asks; undefined for operators and for the service itself, which see all. */
export type ReconciliationViewer = Pick<Caller, 'organisation' | 'importSuppliers'>;

const COLUMNS = `r.id, r.import_supplier as "importSupplier", r.import_job_id as "importJobId", r.organisation, r.status, r.subject, r.position, r.tally, r.listed,
  r.version, r.created_at as "createdAt", r.ended_at as "endedAt"`;

const FIND: PreparedQuery = {
  name: 'reconciliation-find',
  text: `
    select ${COLUMNS} from reconciliation r
    where r.id = $1 and ($2::text is null or (r.organisation = $2 and r.import_supplier = any($3::text[])))`,
};
/** Most reconciliations that are scanned for a page. */
const LOOKED_AT_MAX = 5_000;
/** Ids are in the order of their start. */
const LIST: PreparedQuery = {
  name: 'reconciliations-list',
  text: `
    with looked as materialized (
      select id, import_supplier from reconciliation where $2::uuid is null or id < $2 order by id desc limit ${LOOKED_AT_MAX})
    select ${COLUMNS} from (
      select id from looked where $1::text is null or import_supplier = $1 order by id desc limit $3) page
      join reconciliation r using (id) order by r.id desc`,
};
const LOCK: PreparedQuery = {
  name: 'reconciliation-lock',
  text: `select ${COLUMNS} from reconciliation r where r.id = $1 for no key update skip locked`,
};

/** A reconciliation; with `viewer`, only one of its organisation and import suppliers. */
export async function findReconciliation(
  on: Queryable,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<ReconciliationRecord | undefined> {
  const [row] = await run<Row>(on, FIND, [id, viewer?.organisation ?? null, [...(viewer?.importSuppliers ?? [])]]);
  return row;
}

/** Those of all organisations among 5,000, newest first. @param before the last one of the page before */
export async function listReconciliations(
  on: Queryable,
  importSupplier: string | undefined,
  before: string | undefined,
  limit: number,
): Promise<ReconciliationRecord[]> {
  return run<Row>(on, LIST, [importSupplier ?? null, before ?? null, limit]);
}

/** A reconciliation with its row locked until the transaction ends; also undefined while another worker holds the lock. */
export async function lockReconciliation(em: EntityManager, id: string): Promise<ReconciliationRecord | undefined> {
  const [row] = await run<Row>(em, LOCK, [id]);
  return row;
}

const INSERT: PreparedQuery = {
  name: 'reconciliation-insert',
  text: `
    insert into reconciliation (id, import_supplier, import_job_id, organisation, tally) values ($1, $2, $3, $4, $5)
    on conflict (import_supplier, coalesce(import_job_id, '00000000-0000-0000-0000-000000000000'), coalesce(organisation, '')) where status = 'RUNNING'
      do nothing
    returning id`,
};
const RUNNING: PreparedQuery = {
  name: 'reconciliation-running',
  text: `
    select id from reconciliation
    where import_supplier = $1 and import_job_id is not distinct from $2 and organisation is not distinct from $3 and status = 'RUNNING'`,
};

/** The subject of a comparison, and its organisation; null for operators. */
export type NewReconciliation = Pick<ReconciliationRecord, 'id' | 'importSupplier' | 'importJobId' | 'organisation'>;

/**
 * Starts a reconciliation, unless one of the same runs: then it is that.
 * @returns the id of the one that runs now
 */
export async function startReconciliation(em: EntityManager, wanted: NewReconciliation): Promise<string> {
  const subject = [wanted.importSupplier, wanted.importJobId, wanted.organisation];
  for (;;) {
    const [made] = await run<{ id: string }>(em, INSERT, [wanted.id, ...subject, JSON.stringify(emptyTally())]);
    if (made !== undefined) {
      await enqueueWork(em, [reconciliationWorkItem(wanted)]);
      return made.id;
    }
    const [running] = await run<{ id: string }>(em, RUNNING, subject);
    if (running !== undefined) return running.id;
  }
}

/** The work item that keeps a reconciliation until it has ended. */
export function reconciliationWorkItem({
  id,
  importSupplier,
}: Pick<ReconciliationRecord, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.reconcile(id), kind: 'reconcile', input: { reconciliationId: id, importSupplier } };
}

const ADVANCE: PreparedQuery = {
  name: 'reconciliation-advance',
  text: 'update reconciliation set subject = $2, position = $3, tally = $4, listed = $5 where id = $1',
};

/** Keeps how far one is that the transaction has locked. */
export async function advanceReconciliation(
  em: EntityManager,
  { id, subject, position, tally, listed }: ReconciliationRecord,
): Promise<void> {
  await run(em, ADVANCE, [id, subject, position, JSON.stringify(tally), listed]);
}

const FORGET_DIFFERENCES: PreparedQuery = {
  name: 'reconciliation-forget-differences',
  text: 'delete from reconciliation_difference where reconciliation_id = $1',
};

/** Begins one anew that an earlier version has begun, which counted other things; the transaction has locked it. */
export async function beginAnew(em: EntityManager, record: ReconciliationRecord): Promise<void> {
  await run(em, FORGET_DIFFERENCES, [record.id]);
  Object.assign(record, { subject: 'account', position: '', listed: 0, tally: emptyTally() });
}

const END: PreparedQuery = {
  name: 'reconciliation-end',
  text: "update reconciliation set status = $2, version = $3, ended_at = now() where id = $1 and status = 'RUNNING'",
};

/** Ends one; what it has counted stays. Nothing where it has ended already. */
export async function endReconciliation(
  em: EntityManager,
  id: string,
  status: 'COMPLETED' | 'CANCELLED',
  version: string,
): Promise<void> {
  await run(em, END, [id, status, version]);
  await completeWork(em, [workflowIds.reconcile(id)]);
}

const ASKING: PreparedQuery = {
  name: 'reconciliations-asking',
  text: `
    select r.id as key, r.import_supplier as "importSupplier", r.created_at as since,
      (${workItemIdSql(`'${workflowIds.reconcile('')}' || r.id`)}) is not null as "hasWork"
    from reconciliation r where r.status = 'RUNNING' and r.id > $1::uuid order by r.id limit $2`,
};

/** A page of the reconciliations that have not ended, after the id `after`. */
export async function findAskingReconciliations(on: Queryable, after: string, limit: number): Promise<AskingState[]> {
  type Row = AskingRow & { importSupplier: string };
  const rows = await run<Row>(on, ASKING, [after, limit]);
  return rows.map(asking<Row>(({ key, importSupplier }) => reconciliationWorkItem({ id: key, importSupplier })));
}

const CREATED_BY_JOBS: PreparedQuery = {
  name: 'reconciled-jobs-created',
  text: 'select id as of, succeeded as created from import_job where id = any($1::uuid[])',
};
/** Includes changes that are not folded yet (docs/decisions/0048-counts-by-appending.md). */
const CREATED_OF_SUPPLIERS: PreparedQuery = {
  name: 'reconciled-suppliers-created',
  text: `
    select import_supplier as of, sum(count)::float8 as created from (
      select import_supplier, count from account_count where state = 'created'
      union all
      select import_supplier, change from account_count_change where state = 'created') counted
    where import_supplier = any($1::text[]) group by 1`,
};

type Counted = Pick<ReconciliationRecord, 'id' | 'status' | 'importSupplier' | 'importJobId'>;

/** How many accounts those that run compare in all, by their ids; those that have ended are not among them. */
export async function findTotals(on: Queryable, records: readonly Counted[]): Promise<ReadonlyMap<string, number>> {
  const running = records.filter(({ status }) => status === 'RUNNING');
  const count = async (query: PreparedQuery, of: readonly string[]) =>
    of.length === 0 ? [] : run<{ of: string; created: number }>(on, query, [of]);
  const jobs = await count(
    CREATED_BY_JOBS,
    running.flatMap(({ importJobId }) => importJobId ?? []),
  );
  const suppliers = await count(
    CREATED_OF_SUPPLIERS,
    running.flatMap(({ importSupplier, importJobId }) => (importJobId === null ? [importSupplier] : [])),
  );
  const created = new Map([...jobs, ...suppliers].map((one) => [one.of, one.created]));
  return new Map(
    running.map(({ id, importSupplier, importJobId }) => [id, created.get(importJobId ?? importSupplier) ?? 0]),
  );
}
