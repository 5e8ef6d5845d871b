import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../platform/database/database.ts';
import { type Queryable, type PreparedQuery, emOf, run } from '../platform/database/prepared-query.ts';
import type { Caller } from '../platform/http/route.ts';
import {
  type UnfinishedRow,
  type UnfinishedState,
  unfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { type WorkItem, completeWork, enqueueWork, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { Reconciliation } from './reconciliation.entity.ts';
import { emptyTally } from './tally.rules.ts';
import { workflowIds } from '../../temporal.config.ts';

/** A reconciliation as it is stored. */
export type ReconciliationRecord = Reconciliation;

/** The caller; undefined for operators and for the service itself, which see all. */
export type ReconciliationViewer = Pick<Caller, 'organisation' | 'importSuppliers'>;

/** Most reconciliations scanned for a page. */
const SCANNED_MAX = 5_000;
/** Ids are in order of creation. */
const LIST: PreparedQuery = {
  name: 'reconciliations-list',
  text: `
    with scanned as materialized (
      select id, import_supplier from reconciliation where $2::uuid is null or id < $2 order by id desc limit ${SCANNED_MAX})
    select id from scanned where $1::text is null or import_supplier = $1 order by id desc limit $3`,
};

/** Finds a reconciliation; with `viewer`, only one of its organisation and import suppliers. */
export async function findReconciliation(
  on: Queryable,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<ReconciliationRecord | undefined> {
  const isVisible = viewer && {
    organisation: viewer.organisation,
    importSupplier: { $in: [...viewer.importSuppliers] },
  };
  return (await emOf(on).findOne(Reconciliation, { id, ...isVisible })) ?? undefined;
}

/** Lists reconciliations of all organisations, newest first. Scans at most 5,000. @param before the last id of the previous page */
export async function listReconciliations(
  database: Database,
  importSupplier: string | undefined,
  before: string | undefined,
  limit: number,
): Promise<ReconciliationRecord[]> {
  const ids = await database.run<{ id: string }>(LIST, [importSupplier ?? null, before ?? null, limit]);
  return database.em().find(Reconciliation, { id: { $in: ids.map(({ id }) => id) } }, { orderBy: { id: 'desc' } });
}

/**
 * Locks a reconciliation until the transaction ends. Changes of the returned entity are stored at the commit.
 * @returns undefined if it does not exist, or if another worker holds the lock
 */
export async function lockReconciliation(em: EntityManager, id: string): Promise<ReconciliationRecord | undefined> {
  const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
  return (await em.findOne(Reconciliation, { id }, { lockMode })) ?? undefined;
}

const INSERT: PreparedQuery = {
  name: 'reconciliation-insert',
  text: `
    insert into reconciliation (id, import_supplier, import_job_id, organisation, tally) values ($1, $2, $3, $4, $5)
    on conflict (import_supplier, coalesce(import_job_id, '00000000-0000-0000-0000-000000000000'), coalesce(organisation, '')) where status = 'RUNNING'
      do nothing
    returning id`,
};
/** The subject of a comparison, and its organisation; null for operators. */
export type NewReconciliation = Pick<ReconciliationRecord, 'id' | 'importSupplier' | 'importJobId' | 'organisation'>;

/**
 * Starts a reconciliation, unless one with the same subject is running.
 * @returns the id of the running one
 */
export async function startReconciliation(em: EntityManager, wanted: NewReconciliation): Promise<string> {
  const subject = [wanted.importSupplier, wanted.importJobId, wanted.organisation];
  for (;;) {
    const [made] = await run<{ id: string }>(em, INSERT, [wanted.id, ...subject, JSON.stringify(emptyTally())]);
    if (made !== undefined) {
      await enqueueWork(em, [reconciliationWorkItem(wanted)]);
      return made.id;
    }
    const { importSupplier, importJobId, organisation } = wanted;
    const running = await em.findOne(Reconciliation, { importSupplier, importJobId, organisation, status: 'RUNNING' });
    if (running !== null) return running.id;
  }
}

/** The work item of a reconciliation, which exists until the reconciliation has ended. */
export function reconciliationWorkItem({
  id,
  importSupplier,
}: Pick<ReconciliationRecord, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.reconcile(id), kind: 'reconcile', input: { reconciliationId: id, importSupplier } };
}

/** Ends a running reconciliation; its counts are kept. */
export async function endReconciliation(
  em: EntityManager,
  id: string,
  status: 'COMPLETED' | 'CANCELLED',
  version: string,
): Promise<void> {
  await em.nativeUpdate(Reconciliation, { id, status: 'RUNNING' }, { status, version, endedAt: raw('now()') });
  await completeWork(em, [workflowIds.reconcile(id)]);
}

const UNFINISHED: PreparedQuery = {
  name: 'reconciliations-unfinished',
  text: `
    select r.id as key, r.import_supplier as "importSupplier", r.created_at as since,
      (${workItemIdSql(`'${workflowIds.reconcile('')}' || r.id`)}) is not null as "hasWork"
    from reconciliation r where r.status = 'RUNNING' and r.id > $1::uuid order by r.id limit $2`,
};

/** Lists reconciliations that have not ended, after the id `after`. */
export async function findUnfinishedReconciliations(
  on: Queryable,
  after: string,
  limit: number,
): Promise<UnfinishedState[]> {
  type Row = UnfinishedRow & { importSupplier: string };
  const rows = await run<Row>(on, UNFINISHED, [after, limit]);
  return rows.map(
    unfinishedState<Row>(({ key, importSupplier }) => reconciliationWorkItem({ id: key, importSupplier })),
  );
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

/** The number of accounts that each running reconciliation compares, by its id. */
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
