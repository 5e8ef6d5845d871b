import { keysetPages } from '../foundation/keyset-pages.ts';
import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { type Queryable, type PreparedQuery, emOf, kyselyOf, run } from '../platform/database/prepared-query.ts';
import type { Viewer } from '../platform/http/route.ts';
import { findUnfinishedOf, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { type WorkItem, completeWork, enqueueWork } from '../platform/work-items/work-item.store.ts';
import type { CitedManifest } from './cited-manifests.rules.ts';
import { Reconciliation, type ReconciledTables, type ReconciliationTable } from './reconciliation.entity.ts';
import { emptyTally } from './tally.rules.ts';
import type { ReconciledSubject } from '../vocabulary/reconciliation.ts';
import { workflowIds } from '../../temporal.config.ts';

/** A reconciliation as it is stored. */
export type ReconciliationRecord = Reconciliation;

/** The caller; undefined for operators and for the service itself, which see all. */
export type ReconciliationViewer = Viewer;

/** Most reconciliations scanned for a page. */
const SCANNED_MAX = 5_000;

const visibleTo = (viewer: ReconciliationViewer | undefined) =>
  viewer && {
    ...(viewer.organisation !== undefined && { organisation: viewer.organisation }),
    importSupplier: { $in: [...viewer.importSuppliers] },
  };

/** Finds a reconciliation; with `viewer`, only one of its organisation and import suppliers. */
export async function findReconciliation(
  on: Queryable,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<ReconciliationRecord | undefined> {
  return (await emOf(on).findOne(Reconciliation, { id, ...visibleTo(viewer) })) ?? undefined;
}

/**
 * Lists reconciliations, newest first. With an import supplier it scans at most 5,000.
 * @param before the last id of the previous page
 * @param viewer undefined for operators, who see all
 */
export async function listReconciliations(
  database: Database,
  importSupplier: string | undefined,
  before: string | undefined,
  limit: number,
  viewer?: ReconciliationViewer,
): Promise<ReconciliationRecord[]> {
  const orderBy = { id: 'desc' } as const;
  const isAfter = before === undefined ? {} : { id: { $lt: before } };
  const options = { fields: ['id'], orderBy, offset: SCANNED_MAX - 1, limit: 1 } as const;
  const [last] = importSupplier === undefined ? [] : await database.em().find(Reconciliation, isAfter, options);
  const isScanned = last === undefined ? {} : { id: { $gte: last.id } };
  const isWanted = importSupplier === undefined ? {} : { importSupplier };
  return database
    .em()
    .find(Reconciliation, { $and: [isAfter, isScanned, isWanted, visibleTo(viewer) ?? {}] }, { orderBy, limit });
}

/** An account or business that is compared. */
export interface ReconciledKey {
  /** Null for a line of a job that created no account. */
  key: string | null;
  /** The cursor: the key, or the line in the job. */
  position: string;
  /** Whether the results of a job say that it created the account. */
  isCreated: boolean;
  /** Whether the account that the job created was withdrawn. */
  isWithdrawn: boolean;
}

export type PositionBound = readonly ['>' | '>=' | '<=', position: string];

/** Finds accounts or businesses in the order of their comparison. */
export async function findKeys(
  on: Queryable,
  { importSupplier, importJobId }: ReconciliationRecord,
  subject: ReconciledSubject,
  bounds: readonly PositionBound[],
  limit: number,
): Promise<ReconciledKey[]> {
  const tables = kyselyOf<ReconciledTables>(on);
  if (importJobId) {
    const lines = await tables
      .selectFrom('import_job_line')
      .select(['key', 'line', 'state', 'number'])
      .select(
        sql<boolean | null>`(select true from withdrawn_account w where w.number = import_job_line.number limit 1)`.as(
          'withdrawn',
        ),
      )
      .where('job_id', '=', importJobId)
      .where(({ and, eb }) => and(bounds.map(([is, position]) => eb('line', is, Number(position)))))
      .orderBy('line')
      .limit(limit)
      .execute();
    return lines.map(({ key, line, state, number, withdrawn }) => ({
      // After a withdrawal the key may name an account of another job.
      key: state === 'succeeded' && !withdrawn ? key : null,
      position: String(line),
      isCreated: state === 'succeeded' && !withdrawn && key !== null && number !== null,
      isWithdrawn: withdrawn === true,
    }));
  }
  const ofSubject =
    subject === 'account'
      ? tables.selectFrom('import_process').select(['import_supplier', 'external_account_number as key']).as('s')
      : tables.selectFrom('business').select(['import_supplier', 'external_business_identifier as key']).as('s');
  const found = await tables
    .selectFrom(ofSubject)
    .select('s.key')
    .where('s.import_supplier', '=', importSupplier)
    .where(({ and, eb }) => and(bounds.map(([is, position]) => eb('s.key', is, position))))
    .orderBy('s.key')
    .limit(limit)
    .execute();
  return found.map(({ key }) => ({ key, position: key, isCreated: false, isWithdrawn: false }));
}

/** Reads the accounts that a reconciliation compares, page by page. @param size accounts of a page */
export function readAccountKeys(
  on: Queryable,
  record: ReconciliationRecord,
  size: number,
): AsyncGenerator<ReconciledKey[]> {
  const read = (after: string) => findKeys(on, record, 'account', [['>', after]], size);
  return keysetPages(record.importJobId === null ? '' : '0', size, ({ position }) => position, read);
}

/**
 * Locks a reconciliation until the transaction ends. Changes of the returned entity are stored at the commit.
 * @returns undefined if it does not exist, or if another worker holds the lock
 */
export async function lockReconciliation(em: EntityManager, id: string): Promise<ReconciliationRecord | undefined> {
  const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
  return (await em.findOne(Reconciliation, { id }, { lockMode })) ?? undefined;
}

/** The subject of a comparison, and its organisation; null for operators. */
export type NewReconciliation = Pick<ReconciliationRecord, 'id' | 'importSupplier' | 'importJobId' | 'organisation'>;

/**
 * Starts a reconciliation, unless one with the same subject is running.
 * @returns the id of the running one
 */
export async function startReconciliation(em: EntityManager, wanted: NewReconciliation): Promise<string> {
  const { id, importSupplier, importJobId, organisation } = wanted;
  for (;;) {
    const made = await em
      .getKysely<ReconciliationTable>()
      .insertInto('reconciliation')
      .values({ id, import_supplier: importSupplier, import_job_id: importJobId, organisation, tally: emptyTally() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made !== undefined) {
      await enqueueWork(em, [reconciliationWorkItem(wanted)]);
      return id;
    }
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

/** Ends a running reconciliation; its counts are kept. @param manifests that its certificate cites */
export async function endReconciliation(
  em: EntityManager,
  id: string,
  status: 'COMPLETED' | 'CANCELLED',
  version: string,
  manifests: CitedManifest[] | null = null,
): Promise<void> {
  await em.nativeUpdate(
    Reconciliation,
    { id, status: 'RUNNING' },
    { status, version, manifests, endedAt: raw('now()') },
  );
  await completeWork(em, [workflowIds.reconcile(id)]);
}

/** Lists reconciliations that have not ended, after the id `after`. */
export function findUnfinishedReconciliations(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const workflowIdPrefix = workflowIds.reconcile('');
  const running = { table: 'reconciliation', since: 'created_at', statuses: ['RUNNING'], workflowIdPrefix } as const;
  return findUnfinishedOf(on, { ...running, workOf: reconciliationWorkItem }, after, limit);
}

/** Includes changes that are not folded yet (docs/decisions/0048-counts-by-appending.md). */
const CREATED: PreparedQuery = {
  name: 'reconciled-accounts-created',
  text: `
    select id::text as of, succeeded::float8 as created from import_job where id = any($1::uuid[])
    union all
    select import_supplier, sum(count)::float8 from (
      select import_supplier, count from account_count where state = 'created'
      union all
      select import_supplier, change from account_count_change where state = 'created') counted
    where import_supplier = any($2::text[]) group by 1`,
};

/** The number of accounts that each running reconciliation compares, by its id. */
export async function findTotals(
  on: Queryable,
  records: readonly ReconciliationRecord[],
): Promise<ReadonlyMap<string, number>> {
  const running = records.filter(({ status }) => status === 'RUNNING');
  if (running.length === 0) return new Map();
  const jobs = running.flatMap(({ importJobId }) => importJobId ?? []);
  const suppliers = running.flatMap(({ importSupplier, importJobId }) => (importJobId ? [] : [importSupplier]));
  const rows = await run<{ of: string; created: number }>(on, CREATED, [jobs, suppliers]);
  const created = new Map(rows.map((row) => [row.of, row.created]));
  return new Map(
    running.map(({ id, importSupplier, importJobId }) => [id, created.get(importJobId ?? importSupplier) ?? 0]),
  );
}
