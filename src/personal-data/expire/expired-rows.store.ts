import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';

/** So many days each class is kept. */
export type KeptDays = Readonly<Record<RetentionClass, number>>;

/** What a page of a class has done. */
interface DeletedPage {
  deleted: number;
  /** Nothing more is due. */
  isLast: boolean;
}

type DeletePage = (em: EntityManager, keptDays: number, atOnce: number) => Promise<DeletedPage>;

/** The row with its keys, times and hash stays, so that it is known what was accepted when. */
const CREATED: PreparedQuery = {
  name: 'retention-created-payloads',
  text: `
    with expired as materialized (
      select id from import_process
      where imported_at is not null and payload_deleted_at is null and imported_at < now() - make_interval(days => $1)
      order by imported_at limit $2 for no key update skip locked),
    revisions as (
      update import_process_revision r set payload = null from expired e where r.import_process_id = e.id and r.payload is not null),
    gone as (
      update import_process p set payload = null, phone_numbers = null, refusal = null, payload_deleted_at = now()
      from expired e where p.id = e.id returning 1)
    select count(*)::integer as deleted from gone`,
};

const deleteCreated: DeletePage = async (em, keptDays, atOnce) => {
  const [row] = await run<{ deleted: number }>(em, CREATED, [keptDays, atOnce]);
  return { deleted: row!.deleted, isLast: row!.deleted < atOnce };
};

/** Rows looked at for each that may be deleted: it is their heads only that are read. */
const LOOKED_AT_TIMES = 10;

/**
 * Goes through all that was not created in the order of the index, a bounded number at a time, and remembers where it is. One
 * that is being created is left alone.
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

const deleteNeverCreated: DeletePage = async (em, keptDays, atOnce) => {
  const size = atOnce * LOOKED_AT_TIMES;
  const [row] = await run<{ lookedAt: number; deleted: number }>(em, NEVER_CREATED, [keptDays, size]);
  return { deleted: row!.deleted, isLast: row!.lookedAt === 0 };
};

/** The service itself may delete nothing of the audit: a function of its owner does, and nothing that is younger than a year. */
const AUDIT: PreparedQuery = { name: 'retention-audit', text: 'select delete_old_audit_entries($1, $2) as deleted' };

const deleteOldAudit: DeletePage = async (em, keptDays, atOnce) => {
  const [row] = await run<{ deleted: number }>(em, AUDIT, [keptDays, atOnce]);
  return { deleted: row!.deleted, isLast: row!.deleted < atOnce };
};

const deletePageOf: Readonly<Record<RetentionClass, DeletePage>> = {
  created_payload: deleteCreated,
  never_created: deleteNeverCreated,
  audit: deleteOldAudit,
};

const COUNT: PreparedQuery = {
  name: 'retention-count',
  text: `
    update retention set deleted = deleted + $2, completed_at = case when $3 then now() else completed_at end,
      position = case when $3 then null else position end
    where class = $1`,
};

/**
 * Deletes the next page of a class, and counts it. Two that do so at once do different pages, or one waits for the other.
 * @param em of a fresh transaction
 */
export async function deleteExpiredPage(
  em: EntityManager,
  ofClass: RetentionClass,
  keptDays: number,
  atOnce: number,
): Promise<DeletedPage> {
  const page = await deletePageOf[ofClass](em, keptDays, atOnce);
  await run(em, COUNT, [ofClass, page.deleted, page.isLast]);
  return page;
}
