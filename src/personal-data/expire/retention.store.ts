import { type EntityManager, LockMode, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../../temporal.config.ts';
import { recordAudit } from '../../access/index.ts';
import { ImportProcessRevision, type ImportProcessTable } from '../../account-import/index.ts';
import { type Clock, parisMinuteOfDay } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { makeMonthPartitions } from '../../platform/database/month-partitions.ts';
import { type Queryable, type PreparedQuery, emOf, kyselyOf, run } from '../../platform/database/prepared-query.ts';
import { IdempotencyKey, IdempotencyUse } from '../../platform/idempotency/idempotency-key.entity.ts';
import { type WorkItem, completeWork, enqueueWork } from '../../platform/work-items/work-item.store.ts';
import { hashAccepted } from '../../reconciliation/index.ts';
import { MarketMessage } from '../../switching/index.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { Retention } from './retention.entity.ts';
import { type DeletedCounts, type NightHours, type RetentionProgress, minutesOfNight } from './retention.rules.ts';

const MINUTE_MS = 60_000;
/** Actor in the audit. */
const ACTOR = { keyName: 'retention' };

const workItem: WorkItem = { workflowId: workflowIds.retention, kind: 'retention', input: {} };

/**
 * Returns the dispatcher's step that starts the retention once a night, and makes the partitions of the next months. If Temporal loses a
 * run, the dispatcher starts it again, because its work item exists until it has ended.
 */
export function beginRetentionByNight(database: Database, hours: NightHours, clock: Clock): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const minutes = minutesOfNight(hours, parisMinuteOfDay(now));
    if (minutes === undefined) return;
    const nightBegan = new Date(Math.floor(now.getTime() / MINUTE_MS - minutes) * MINUTE_MS);
    const hasBegun = await database.transaction(async (em) => {
      const begun = { startedAt: raw('now()'), deletedBefore: raw('deleted') };
      const classes = await em.nativeUpdate(Retention, { startedAt: { $lt: nightBegan } }, begun);
      if (classes > 0) await enqueueWork(em, [workItem]);
      return classes > 0;
    });
    if (hasBegun) await makeMonthPartitions(database);
  };
}

/** Returns the progress of each class: deletions of all runs and of the last one. */
export async function findRetention(on: Queryable) {
  const states = await emOf(on).find(Retention, {});
  return states.map(({ class: ofClass, deleted, deletedBefore, startedAt, completedAt }) => ({
    class: ofClass,
    deleted: Number(deleted),
    deletedByRun: Number(deleted) - Number(deletedBefore),
    startedAt,
    completedAt,
  }));
}

/** Returns the classes that the current run has completed. */
export async function findCompleted(on: Queryable): Promise<ReadonlySet<RetentionClass>> {
  const states = await findRetention(on);
  return new Set(states.flatMap((state) => (state.completedAt >= state.startedAt ? [state.class] : [])));
}

/** Counts the deletions of the last run so far. */
export async function countDeleted(on: Queryable): Promise<DeletedCounts> {
  const states = await findRetention(on);
  return Object.fromEntries(states.map((state) => [state.class, state.deletedByRun])) as DeletedCounts;
}

/** Ends the run of a night and records its deletions in the audit. No effect if it has already ended. */
export async function endRetention(em: EntityManager, state: RetentionProgress['state']): Promise<void> {
  const ended = await completeWork(em, [workflowIds.retention]);
  if (ended === 0) return;
  await recordAudit(em, ACTOR, {
    action: 'retention.ended',
    subject: 'retention',
    after: { state, deleted: await countDeleted(em) },
  });
}

/** Days for which each class is kept. */
export type KeptDays = Readonly<Record<RetentionClass, number>>;

/** The result of a page. */
interface DeletedPage {
  deleted: number;
  /** Whether nothing more is due. */
  isLast: boolean;
}

type DeletePage = (
  em: EntityManager,
  keptDays: number,
  atOnce: number,
  hashKey: Buffer | undefined,
) => Promise<DeletedPage>;

/** Most stored bytes of payloads per page, which the process reads to hash them. A page has at least one payload. */
const PAGE_BYTES = 2_000_000;

const SKIP_LOCKED = LockMode.PESSIMISTIC_PARTIAL_WRITE;
const UNMATCHED_EFFECTS = ['fits-nothing', 'unknown-account', 'unknown-point', 'dismissed'];

const daysAgo = (days: number) => raw<Date>('now() - make_interval(days => ?)', [days]);

/** The row keeps its keys, times and hash, as evidence of the accepted payload. */
const deleteCreated: DeletePage = async (em, keptDays, atOnce, hashKey) => {
  const expired = await kyselyOf<ImportProcessTable>(em)
    .selectFrom('import_process')
    .select(['id', sql<number>`pg_column_size(payload)`.as('bytes')])
    .where('imported_at', 'is not', null)
    .where('payload_deleted_at', 'is', null)
    .where('imported_at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`)
    .orderBy('imported_at')
    .limit(atOnce)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  if (expired.length === 0) return { deleted: 0, isLast: true };
  const ids: string[] = [];
  for (let bytes = 0; ids.length < expired.length && bytes < PAGE_BYTES;) {
    const { id, bytes: more } = expired[ids.length]!;
    ids.push(id);
    bytes += more;
  }
  const kept = hashKey === undefined ? undefined : await hashAccepted(em, hashKey, ids);
  const hashes = ids.map((id) => kept?.hashes.get(id) ?? null);
  await em.nativeUpdate(ImportProcessRevision, { importProcessId: ids, payload: { $ne: null } }, { payload: null });
  await kyselyOf<ImportProcessTable>(em)
    .updateTable('import_process')
    .from(
      sql<{ of: string; hashes: Buffer | null }>`unnest(${ids}::uuid[], ${hashes}::bytea[])`.as<'h'>(
        sql`h (of, hashes)`,
      ),
    )
    .set({
      payload: null,
      phone_numbers: null,
      refusal: null,
      payload_deleted_at: sql<Date>`now()`,
      field_hashes: (of) => of.ref('h.hashes'),
      field_hash_layout_id: sql<number>`case when h.hashes is not null then ${kept?.layoutId ?? null}::integer end`,
    })
    .whereRef('id', '=', 'h.of')
    .execute();
  return { deleted: ids.length, isLast: ids.length === expired.length && ids.length < atOnce };
};

/** Rows scanned for each row that may be deleted; only their keys are read. */
const SCAN_FACTOR = 10;

/**
 * Scans accounts that were never created in the order of the index, a limited number at a time, and stores the position. Skips accounts
 * that are being created.
 */
const NEVER_CREATED: PreparedQuery = {
  name: 'retention-never-created',
  text: `
    with place as (select coalesce(position ->> 0, '') as supplier, coalesce(position ->> 1, '') as external from retention where class = 'never_created'),
    page as materialized (
      select p.id, p.import_supplier, p.external_account_number from import_process p
      where p.imported_at is null and (p.import_supplier, p.external_account_number) > ((select supplier from place) collate "C", (select external from place) collate "C")
      order by p.import_supplier, p.external_account_number limit $2),
    expired as materialized (
      select p.id from page join import_process p using (id)
      where p.imported_at is null and p.workflow_id is null
        and greatest(p.updated_at, p.withdrawn_at, p.skipped_at, (p.refusal ->> 'at')::timestamptz) < now() - make_interval(days => $1)
        and not exists (select from creation_slot c where c.import_process_id = p.id)
      order by p.import_supplier, p.external_account_number for update of p skip locked),
    revisions as (delete from import_process_revision r using expired e where r.import_process_id = e.id),
    gone as (delete from import_process p using expired e where p.id = e.id returning 1),
    moved as (
      update retention set position = (
        select jsonb_build_array(import_supplier, external_account_number) from page order by import_supplier desc, external_account_number desc limit 1)
      where class = 'never_created')
    select (select count(*)::integer from page) as "lookedAt", (select count(*)::integer from gone) as deleted`,
};

/** Deletes messages that match no account or no status, and dismissed ones. Their text can contain a person's name. */
async function deleteUnmatched(em: EntityManager, keptDays: number, limit: number): Promise<number> {
  const isExpired = { effect: UNMATCHED_EFFECTS, receivedAt: { $lt: daysAgo(keptDays) } };
  const expired = await em.find(MarketMessage, isExpired, { fields: ['messageId'], limit, lockMode: SKIP_LOCKED });
  return em.nativeDelete(MarketMessage, { messageId: expired.map(({ messageId }) => messageId) });
}

const deleteNeverCreated: DeletePage = async (em, keptDays, atOnce) => {
  const size = atOnce * SCAN_FACTOR;
  const messages = await deleteUnmatched(em, keptDays, size);
  const [row] = await run<{ lookedAt: number; deleted: number }>(em, NEVER_CREATED, [keptDays, size]);
  return { deleted: row!.deleted, isLast: row!.lookedAt === 0 && messages < size };
};

/** The service has no right to delete audit entries. A function of their owner deletes them, but none younger than a year. */
const deleteOldAudit: DeletePage = async (em, keptDays, atOnce) => {
  const { deleted } = await kyselyOf<ImportProcessTable>(em)
    .selectNoFrom(sql<number>`delete_old_audit_entries(${keptDays}, ${atOnce})`.as('deleted'))
    .executeTakeFirstOrThrow();
  return { deleted, isLast: deleted < atOnce };
};

const deleteIdempotencyKeys: DeletePage = async (em, keptDays, atOnce) => {
  await em.nativeDelete(IdempotencyUse, { day: { $lt: raw('current_date - ?::integer', [keptDays]) } });
  const isUnclaimed = { $or: [{ claimedUntil: null }, { claimedUntil: { $lt: raw('now()') } }] };
  const expired = await em.find(
    IdempotencyKey,
    { createdAt: { $lt: daysAgo(keptDays) }, ...isUnclaimed },
    { fields: ['createdAt'], orderBy: { createdAt: 'asc' }, limit: atOnce, lockMode: SKIP_LOCKED },
  );
  for (const key of expired) em.remove(key);
  await em.flush();
  return { deleted: expired.length, isLast: expired.length < atOnce };
};

const deletePageOf: Readonly<Record<RetentionClass, DeletePage>> = {
  created_payload: deleteCreated,
  never_created: deleteNeverCreated,
  audit: deleteOldAudit,
  idempotency_key: deleteIdempotencyKeys,
};

/**
 * Deletes the next page of a class and counts the deletions. Concurrent calls delete different pages, or one waits for the other.
 * @param em of a new transaction
 * @param hashKey the setting FIELD_HASH_KEY: if set, hashes of the accepted values replace payloads
 */
export async function deleteExpiredPage(
  em: EntityManager,
  ofClass: RetentionClass,
  keptDays: number,
  atOnce: number,
  hashKey?: Buffer,
): Promise<DeletedPage> {
  const page = await deletePageOf[ofClass](em, keptDays, atOnce, hashKey);
  await em.nativeUpdate(
    Retention,
    { class: ofClass },
    { deleted: raw('deleted + ?', [page.deleted]), ...(page.isLast && { completedAt: raw('now()'), position: null }) },
  );
  return page;
}
