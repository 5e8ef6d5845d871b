import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { keysetPages } from '../../foundation/keyset-pages.ts';
import { CLOSED_WAVES } from '../../vocabulary/waves.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';

/** The wave that accounts join. */
export interface WaveOfMembers {
  id: string;
  importSupplier: string;
}

/** The hours for which the switches of a wave wait after creation unless its options say otherwise, so that a withdrawal meets no obstacle. */
export const HOLD_SWITCHES_HOURS = 24;

/** What became of an account that was to join a wave. */
export type Joining = 'added' | 'member' | 'not_staged' | 'imported' | 'in_another_wave';

/**
 * Adds staged accounts to a wave. An account that is a member already stays; one of another wave, or one that is imported, is not added.
 * Rows are locked in the order of their numbers, as in every statement that stages or creates accounts.
 * @param externals without duplicates
 * @returns what became of each, in their order
 */
export async function addToWave(
  em: EntityManager,
  { id, importSupplier }: WaveOfMembers,
  externals: readonly string[],
): Promise<Joining[]> {
  if (externals.length === 0) return [];
  const { rows } = await sql<{ joining: Joining }>`
    with asked as materialized (select * from unnest(${externals}::text[]) with ordinality as a (external, n)),
    staged as materialized (
      select a.n, p.id, p.imported_at is not null as is_imported from asked a
        join import_process p on p.import_supplier = ${importSupplier} and p.external_account_number = a.external),
    added as (
      insert into wave_account (import_process_id, wave_id) select id, ${id} from staged where not is_imported order by id
      on conflict (import_process_id) do nothing returning import_process_id)
    select case when s.id is null then 'not_staged' when n.import_process_id is not null then 'added'
        when m.wave_id = ${id} then 'member' when s.is_imported then 'imported' else 'in_another_wave' end as joining
    from asked a left join staged s on s.n = a.n left join added n on n.import_process_id = s.id
      left join wave_account m on m.import_process_id = s.id
    order by a.n`.execute(kyselyOf<object>(em));
  return rows.map(({ joining }) => joining);
}

/**
 * Moves accounts of other open waves of the same supplier to a wave. Their approvals do not move with them.
 * @returns the waves that lost accounts, with the moved external numbers
 */
export async function moveToWave(
  em: EntityManager,
  { id, importSupplier }: WaveOfMembers,
  externals: readonly string[],
): Promise<{ waveId: string; external: string }[]> {
  const { rows } = await sql<{ wave_id: string; external: string }>`
    with found as materialized (
      select m.import_process_id as id, m.wave_id, p.external_account_number as external
      from import_process p join wave_account m on m.import_process_id = p.id join wave w on w.id = m.wave_id
      where p.import_supplier = ${importSupplier} and p.external_account_number = any(${externals}::text[]) and p.imported_at is null
        and m.wave_id <> ${id} and w.status in ('PREPARING', 'CANCELLED', 'WITHDRAWN')
      order by m.import_process_id for update of m),
    moved as (
      update wave_account m set wave_id = ${id}, rehearsed_revision = null, approved_revision = null, added_at = now()
      from found f where m.import_process_id = f.id)
    select wave_id, external from found order by external`.execute(kyselyOf<object>(em));
  return rows.map(({ wave_id: waveId, external }) => ({ waveId, external }));
}

/** Ends the membership of all accounts of a cancelled wave that were not created, so that they can join another wave. */
export async function releaseMembers(em: EntityManager, waveId: string): Promise<void> {
  await sql`
    delete from wave_account m using import_process p
    where m.wave_id = ${waveId} and p.id = m.import_process_id and p.imported_at is null`.execute(kyselyOf<object>(em));
}

/**
 * Leaves records out of a wave. A record that is left out already keeps its first reason.
 * @param records external account numbers, or lines of jobs
 */
export async function excludeRecords(
  em: EntityManager,
  waveId: string,
  records: readonly string[],
  { reason, by }: { reason: string; by: string },
): Promise<void> {
  await sql`
    insert into wave_exclusion (wave_id, record, reason, excluded_by)
    select ${waveId}, r, ${reason}, ${by} from unnest(${records}::text[]) as r order by r
    on conflict (wave_id, record) do nothing`.execute(kyselyOf<object>(em));
}

/** Lists the members of a wave that cannot be created and are not excluded, at most 100,000. */
export async function findFaultyMembers(on: Queryable, waveId: string): Promise<string[]> {
  const { rows } = await sql<{ external: string }>`
    select p.external_account_number as external
    from wave_account m join import_process p on p.id = m.import_process_id
    where m.wave_id = ${waveId} and p.imported_at is null and (p.refusal is not null or p.skipped_at is not null or p.workflow_id is not null)
      and not exists (select from wave_exclusion e where e.wave_id = m.wave_id and e.record = p.external_account_number)
    order by 1 limit 100000`.execute(kyselyOf<object>(on));
  return rows.map(({ external }) => external);
}

const NUMBERS_OF_PAGE = 5_000;

/** Reads the created accounts of a wave, in the order of their external numbers: external and service number. */
export function readNumbers(on: Queryable, waveId: string): AsyncGenerator<{ external: string; number: string }[]> {
  const read = async (after: string) => {
    const { rows } = await sql<{ external: string; number: string }>`
      select a.external_account_number as external, a.number
      from wave_account m join account a on a.import_process_id = m.import_process_id
      where m.wave_id = ${waveId} and a.external_account_number > ${after}
      order by a.external_account_number limit ${NUMBERS_OF_PAGE}`.execute(kyselyOf<object>(on));
    return rows;
  };
  return keysetPages('', NUMBERS_OF_PAGE, ({ external }) => external, read);
}

/**
 * Finds which accounts belong to another wave than the given one, so that they are not staged for it.
 * @returns their external numbers
 */
export async function findInOtherWaves(
  on: Queryable,
  { id, importSupplier }: WaveOfMembers,
  externals: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ external: string }>`
    select p.external_account_number as external
    from import_process p join wave_account m on m.import_process_id = p.id
    where p.import_supplier = ${importSupplier} and p.external_account_number = any(${externals}::text[]) and m.wave_id <> ${id}`.execute(
    kyselyOf<object>(on),
  );
  return new Set(rows.map(({ external }) => external));
}

/** Locks the staged accounts of a page and reads their revisions. @returns revision by external number */
export async function lockRevisions(
  em: EntityManager,
  importSupplier: string,
  externals: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ external: string; revision: number }>`
    select external_account_number as external, revision from import_process
    where import_supplier = ${importSupplier} and external_account_number = any(${externals}::text[])
    order by import_supplier, external_account_number for no key update`.execute(kyselyOf<object>(em));
  return new Map(rows.map(({ external, revision }) => [external, revision]));
}

/**
 * Stores which revisions of members a rehearsal has tried with success, with their first supply start, so that the wave can compare it with
 * its plan without reading payloads again.
 * @param revisions by external number
 * @param leadDays days before the supply start at which a switch is requested
 */
export async function markRehearsed(
  em: EntityManager,
  { id, importSupplier }: WaveOfMembers,
  revisions: ReadonlyMap<string, number>,
  leadDays: number,
): Promise<void> {
  await sql`
    update wave_account m
    set rehearsed_revision = r.revision, first_supply_start = s.starts, switch_request_on = s.starts - ${leadDays}::integer
    from unnest(${[...revisions.keys()]}::text[], ${[...revisions.values()]}::integer[]) as r (external, revision)
      join import_process p on p.import_supplier = ${importSupplier} and p.external_account_number = r.external
      join import_supplier i on i.code = p.import_supplier
      cross join lateral (
        select min(nullif(d #>> '{}', ''))::date as starts
        from jsonb_path_query(p.payload, '$.supply_addresses[*].supply_points[*].supply_start_date') d
        where i.options -> 'industry_switch' is distinct from 'false'::jsonb) s
    where m.import_process_id = p.id and m.wave_id = ${id}`.execute(kyselyOf<object>(em));
}

/** Whether a supplier has a wave with this id that accounts can join. Locks it until the transaction ends, so that it does not end meanwhile. */
export async function findJoinableWave(on: Queryable, waveId: string, importSupplier: string): Promise<boolean> {
  if (!isUuid(waveId)) return false;
  const { rows } = await sql`
    select from wave where id = ${waveId} and import_supplier = ${importSupplier}
      and status not in (${sql.join(CLOSED_WAVES)}) for key share`.execute(kyselyOf<object>(on));
  return rows.length === 1;
}
