import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { recordAudit } from '../../access/index.ts';
import { type Clock, parisMinuteOfDay } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Queryable, type PreparedQuery, emOf, run } from '../../platform/database/prepared-query.ts';
import { type WorkItem, completeWork, enqueueWork } from '../../platform/work-items/work-item.store.ts';
import { hashAccepted } from '../../reconciliation/index.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { Retention } from './retention.entity.ts';
import { type DeletedCounts, type NightHours, type RetentionProgress, minutesOfNight } from './retention.rules.ts';

const MINUTE_MS = 60_000;
/** Actor in the audit. */
const ACTOR = { keyName: 'retention' };

const workItem: WorkItem = { workflowId: workflowIds.retention, kind: 'retention', input: {} };

/**
 * Returns the dispatcher's step that starts the retention once a night. If Temporal loses a run, the dispatcher starts it again, because
 * its work item exists until it has ended.
 */
export function beginRetentionByNight(database: Database, hours: NightHours, clock: Clock): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const minutes = minutesOfNight(hours, parisMinuteOfDay(now));
    if (minutes === undefined) return;
    const nightBegan = new Date(Math.floor(now.getTime() / MINUTE_MS - minutes) * MINUTE_MS);
    await database.transaction(async (em) => {
      const begun = { startedAt: raw('now()'), deletedBefore: raw('deleted') };
      const classes = await em.nativeUpdate(Retention, { startedAt: { $lt: nightBegan } }, begun);
      if (classes > 0) await enqueueWork(em, [workItem]);
    });
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

const EXPIRED: PreparedQuery = {
  name: 'retention-expired-payloads',
  text: `
    with due as materialized (
      select id, imported_at, pg_column_size(payload) as bytes from import_process
      where imported_at is not null and payload_deleted_at is null and imported_at < now() - make_interval(days => $1)
      order by imported_at limit $2 for no key update skip locked),
    page as (
      select id, sum(bytes) over (order by imported_at, id) - bytes as bytes_before, count(*) over () as due from due)
    select id, due::integer as due from page where bytes_before < ${PAGE_BYTES}`,
};
/** The row keeps its keys, times and hash, as evidence of the accepted payload. */
const DELETE_CREATED: PreparedQuery = {
  name: 'retention-created-payloads',
  text: `
    with revisions as (
      update import_process_revision r set payload = null where r.import_process_id = any($1::uuid[]) and r.payload is not null)
    update import_process p
    set payload = null, phone_numbers = null, refusal = null, payload_deleted_at = now(), field_hashes = h.hashes,
      field_hash_layout_id = case when h.hashes is not null then $3::integer end
    from unnest($1::uuid[], $2::bytea[]) as h (id, hashes) where p.id = h.id`,
};

const deleteCreated: DeletePage = async (em, keptDays, atOnce, hashKey) => {
  const expired = await run<{ id: string; due: number }>(em, EXPIRED, [keptDays, atOnce]);
  const ids = expired.map(({ id }) => id);
  if (ids.length === 0) return { deleted: 0, isLast: true };
  const kept = hashKey === undefined ? undefined : await hashAccepted(em, hashKey, ids);
  const hashes = ids.map((id) => kept?.hashes.get(id) ?? null);
  await run(em, DELETE_CREATED, [ids, hashes, kept?.layoutId ?? null]);
  return { deleted: ids.length, isLast: ids.length === expired[0]!.due && ids.length < atOnce };
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
        and greatest(p.updated_at, p.skipped_at, (p.refusal ->> 'at')::timestamptz) < now() - make_interval(days => $1)
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

/** Messages that match no account or no status, and dismissed ones. Their text can contain a person's name. */
const UNMATCHED: PreparedQuery = {
  name: 'retention-unmatched-messages',
  text: `
    with expired as materialized (
      select message_id from market_message
      where effect in ('fits-nothing', 'unknown-account', 'unknown-point', 'dismissed') and received_at < now() - make_interval(days => $1)
      limit $2 for update skip locked)
    delete from market_message m using expired e where m.message_id = e.message_id returning 1`,
};

const deleteNeverCreated: DeletePage = async (em, keptDays, atOnce) => {
  const size = atOnce * SCAN_FACTOR;
  const messages = (await run(em, UNMATCHED, [keptDays, size])).length;
  const [row] = await run<{ lookedAt: number; deleted: number }>(em, NEVER_CREATED, [keptDays, size]);
  return { deleted: row!.deleted, isLast: row!.lookedAt === 0 && messages < size };
};

/** The service has no right to delete audit entries. A function of their owner deletes them, but none younger than a year. */
const AUDIT: PreparedQuery = { name: 'retention-audit', text: 'select delete_old_audit_entries($1, $2) as deleted' };

const deleteOldAudit: DeletePage = async (em, keptDays, atOnce) => {
  const [row] = await run<{ deleted: number }>(em, AUDIT, [keptDays, atOnce]);
  return { deleted: row!.deleted, isLast: row!.deleted < atOnce };
};

const KEYS: PreparedQuery = {
  name: 'retention-idempotency-keys',
  text: `
    with expired as materialized (
      select organisation, key_hash from idempotency_key
      where created_at < now() - make_interval(days => $1) and (claimed_until is null or claimed_until < now())
      order by created_at limit $2 for update skip locked),
    counts as (delete from idempotency_use where day < current_date - $1),
    gone as (delete from idempotency_key k using expired e where (k.organisation, k.key_hash) = (e.organisation, e.key_hash) returning 1)
    select count(*)::integer as deleted from gone`,
};

const deleteIdempotencyKeys: DeletePage = async (em, keptDays, atOnce) => {
  const [row] = await run<{ deleted: number }>(em, KEYS, [keptDays, atOnce]);
  return { deleted: row!.deleted, isLast: row!.deleted < atOnce };
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
