import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { AccountKey } from '../accounts/account-key.schema.ts';

/** Of more changes than these a revision is another payload. */
const CHANGES_SHOWN_MAX = 200;

/**
 * The payload of a revision is stored with it if a later one replaced it, otherwise in the process; equal hashes mean equal
 * payloads. `payload_changes` is defined in payload-changes.sql.
 */
const FIND_REVISION: PreparedQuery = {
  name: 'find-revision',
  text: `
    with process as materialized (select * from import_process where import_supplier = $1 and external_account_number = $2),
    revision as materialized (select r.* from process p join import_process_revision r on r.import_process_id = p.id and r.revision = $3),
    before as materialized (select b.* from revision r join import_process_revision b on b.import_process_id = r.import_process_id and b.revision = r.revision - 1),
    kept as materialized (
      select k.payload_hash, k.payload from process p join import_process_revision k on k.import_process_id = p.id where k.payload is not null
      union all select payload_hash, payload from process where payload is not null),
    payloads as materialized (
      select (select k.payload from kept k where k.payload_hash = (select payload_hash from revision) limit 1) as now,
        (select k.payload from kept k where k.payload_hash = (select payload_hash from before) limit 1) as before),
    changes as materialized (
      select c.* from payloads p, payload_changes(p.before, p.now, ${CHANGES_SHOWN_MAX + 1}) c where p.before is not null and p.now is not null)
    select json_build_object(
      'revision', r.revision, 'staged_at', to_char(r.staged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'payload_hash', encode(r.payload_hash, 'hex'), 'payload', p.now,
      'payload_deleted_at', (select to_char(payload_deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from process),
      'content', case when b.revision is null then 'first' when b.payload_hash = r.payload_hash then 'same' else 'other' end,
      'all_changes', (select count(*) from changes) <= ${CHANGES_SHOWN_MAX})::text as json,
      case when p.before is not null and p.now is not null then coalesce(
        (select json_agg(json_build_object('path', c.path, 'before', c.old_value::text, 'after', c.new_value::text)) from (select * from changes limit ${CHANGES_SHOWN_MAX}) c), '[]') end as changes
    from revision r cross join payloads p left join before b on true`,
};

/** JSON texts, which keep digits that a number of JavaScript would lose. */
export interface FoundRevision {
  /** The revision without its changes. */
  json: string;
  /** Null if there is nothing to compare; one side is null if the place did not exist there. */
  changes: { path: string[]; before: string | null; after: string | null }[] | null;
}

/**
 * Returns one revision of staged data with its changes.
 * @returns undefined if the revision does not exist
 */
export async function findRevision(
  database: Queryable,
  { import_supplier: supplier, external_account_number: external }: AccountKey,
  revision: number,
): Promise<FoundRevision | undefined> {
  const [row] = await run<FoundRevision & Record<string, unknown>>(database, FIND_REVISION, [
    supplier,
    external,
    revision,
  ]);
  return row;
}
