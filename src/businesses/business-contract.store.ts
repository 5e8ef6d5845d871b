import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { BusinessContract } from './business-contract.schema.ts';

/**
 * Inserts all contracts of a request with versions and terms in one statement. Labels are sorted, so that concurrent requests do not
 * deadlock; a label that exists writes nothing and is returned.
 */
const INSERT_CONTRACTS: PreparedQuery = {
  name: 'insert-business-contracts',
  text: `
    with sent as materialized (
      select c.n::integer - 1 as index, c.* from rows from (
        jsonb_to_recordset($3::jsonb) as (identifier text, valid_from_date date, signed_at_date text, versions jsonb),
        unnest($4::uuid[])
      ) with ordinality as c (identifier, valid_from_date, signed_at_date, versions, id, n)),
    written as (
      insert into business_contract (id, business_id, import_supplier, position, identifier, valid_from_date, signed_at_date, sent_empty, came_with_business)
      select id, $1, $2, index + (select coalesce(max(position) + 1, 0) from business_contract where business_id = $1), identifier, valid_from_date,
        nullif(signed_at_date, '')::date, case when signed_at_date = '' then array['signed_at_date'] else '{}' end, $5
      from sent order by identifier collate "C"
      on conflict (import_supplier, identifier) do nothing
      returning id),
    version as materialized (
      select w.id, v.n - 1 as position, v.applicable_at_date, v.terms
      from sent s join written w on w.id = s.id,
        rows from (jsonb_to_recordset(s.versions) as (applicable_at_date date, terms jsonb)) with ordinality as v (applicable_at_date, terms, n)),
    versions_written as (
      insert into contract_version (business_contract_id, position, applicable_at_date) select id, position, applicable_at_date from version),
    terms_written as (
      insert into contract_term (business_contract_id, version_position, position, term_type, content)
      select v.id, v.position, t.n - 1, t.term ->> 'term_type', t.term from version v, jsonb_array_elements(v.terms) with ordinality as t (term, n))
    select index from sent where id not in (select id from written) order by index`,
};

/** Locked as a foreign key locks them, in the order of their labels. */
const LOCK_BY_LABEL: PreparedQuery = {
  name: 'lock-business-contracts',
  text: `
    with named as (select * from unnest($1::text[], $2::text[]) with ordinality as e (supplier, label, n)),
    locked as (
      select c.id, c.import_supplier, c.identifier from business_contract c
      where (c.import_supplier, c.identifier) in (select supplier, label from named)
      order by c.import_supplier, c.identifier
      for key share)
    select l.id from named e left join locked l on l.import_supplier = e.supplier and l.identifier = e.label order by e.n`,
};

/** The business that contracts are added to; the caller holds its row. */
export interface ContractHolder {
  businessId: string;
  importSupplier: string;
  /** False for contracts that are added to a business later (operation 13). */
  cameWithBusiness: boolean;
}

/**
 * Adds contracts to a business (operations 12 and 13).
 * @returns the indexes of those whose label is taken within the import supplier; if there are any, roll back
 */
export async function insertBusinessContracts(
  em: EntityManager,
  holder: ContractHolder,
  contracts: readonly BusinessContract[],
): Promise<number[]> {
  const ids = contracts.map(() => uuidv7());
  const rows = await run<{ index: number }>(em, INSERT_CONTRACTS, [
    holder.businessId,
    holder.importSupplier,
    JSON.stringify(contracts),
    ids,
    holder.cameWithBusiness,
  ]);
  return rows.map((row) => row.index);
}

/** A business contract as accounts name it. */
export interface NamedContract {
  importSupplier: string;
  label: string;
}

/**
 * Finds and locks the business contracts that accounts name, all in one statement.
 * @returns their ids in the order of the names; null where no business of the import supplier has such a contract
 */
export async function lockNamedContracts(
  em: EntityManager,
  named: readonly NamedContract[],
): Promise<(string | null)[]> {
  const rows = await run<{ id: string | null }>(em, LOCK_BY_LABEL, [
    named.map((name) => name.importSupplier),
    named.map((name) => name.label),
  ]);
  return rows.map((row) => row.id);
}
