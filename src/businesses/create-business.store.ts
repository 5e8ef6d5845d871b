import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { writeEvents, writeEventsSql } from '../events/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import type { BusinessTable } from './business.entity.ts';
import { type BusinessDifferences, normalSiret } from './business.rules.ts';
import type { BusinessContract, CreateBusinessContractsRequest, CreateBusinessRequest } from './business.schema.ts';

export type BusinessOutcome =
  | { kind: 'created'; serviceBusinessId: number }
  /** The business is stored already, with or without differences. */
  | { kind: 'exists'; serviceBusinessId: number; differences: BusinessDifferences }
  | { kind: 'identifiers-taken'; indexes: number[] }
  | { kind: 'not-ongoing'; status: SupplierStatus | undefined };

/** Of concurrent copies of a request, one inserts the row; the others wait for its commit and then find it. */
const INSERT_BUSINESS: PreparedQuery = {
  name: 'insert-business',
  text: `
    with supplier as (select code, status from import_supplier where code = $2),
    written as (
      insert into business (id, import_supplier, external_business_identifier, company_name, business_type, siret, siret_as_sent, sent_empty, service_business_id)
      select $1, code, $3, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''), $8::text[], coalesce($10::integer, next_business_id()) from supplier
      -- Checked first: an insert that conflicts would consume an id.
      where status = 'Ongoing' and not exists (select from business where import_supplier = $2 and external_business_identifier = $3)
      on conflict (import_supplier, external_business_identifier) do nothing
      returning service_business_id),
    notified as (${writeEventsSql(`
      select $2, null, 'import.business.created.v1', 'businesses/' || $3, jsonb_build_object('external_business_identifier', $3::text) from written`)}),
    details_written as (
      insert into business_detail (business_id, position, key, value)
      select $1, d.n - 1, d.key, d.value
      from written, rows from (jsonb_to_recordset($9::jsonb) as (key text, value text)) with ordinality as d (key, value, n))
    select status, (select service_business_id from written) as id from supplier`,
};

/**
 * Compares in the database, which keeps all digits of numbers and treats 1.50 and 1.5 as equal. Ignores empty values, and the order of
 * details and versions.
 */
const COMPARE_BUSINESS: PreparedQuery = {
  name: 'compare-business',
  text: `
    with stored as materialized (select * from business where import_supplier = $1 and external_business_identifier = $2),
    held as materialized (
      select c.identifier, c.came_with_business, jsonb_build_array(c.valid_from_date, c.signed_at_date, (
        select jsonb_agg(jsonb_build_object('applicable_at_date', v.applicable_at_date, 'terms', coalesce((
          select jsonb_agg(t.content order by t.position) from contract_term t
          where t.business_contract_id = v.business_contract_id and t.version_position = v.position), '[]')) order by v.applicable_at_date)
        from contract_version v where v.business_contract_id = c.id)) as content
      from business_contract c where c.business_id = (select id from stored)),
    sent as materialized (
      select s.n::integer - 1 as index, s.contract ->> 'identifier' as identifier, jsonb_build_array(s.contract -> 'valid_from_date',
        nullif(s.contract ->> 'signed_at_date', ''),
        (select jsonb_agg(v order by v ->> 'applicable_at_date' collate "C") from jsonb_array_elements(s.contract -> 'versions') v)) as content
      from jsonb_array_elements($7::jsonb) with ordinality as s (contract, n)),
    matched as materialized (
      select s.index, h.identifier as held, s.identifier as sent, h.came_with_business, h.content = s.content as equal
      from held h full join sent s on s.identifier = h.identifier)
    select b.service_business_id as id,
      array_remove(array[
        case when b.company_name <> $3 then 'company_name' end,
        case when coalesce(b.business_type, '') <> $4 then 'business_type' end,
        case when coalesce(b.siret, '') <> $5 then 'siret' end,
        case when coalesce((select jsonb_object_agg(d.key, d.value) from business_detail d where d.business_id = b.id), '{}')
          <> coalesce((select jsonb_object_agg(d ->> 'key', d ->> 'value') from jsonb_array_elements($6::jsonb) d), '{}') then 'details' end], null) as fields,
      array(select index from matched where not equal order by index) as changed,
      array(select index from matched where held is null order by index) as unknown,
      array(select held from matched where sent is null and came_with_business order by held) as missing
    from stored b`,
};

const ATTEMPTS_MAX = 3;

/**
 * Creates a business with its contracts in one transaction, or returns its differences from the stored one.
 * @param isRehearsal the caller rolls it back, so no id of the sequence is used
 */
export async function createBusiness(
  database: WritableDatabase,
  request: CreateBusinessRequest,
  isRehearsal = false,
): Promise<BusinessOutcome> {
  return database.transaction(async (em) => {
    const businessId = uuidv7();
    for (let attempts = 1; ; attempts += 1) {
      const [row] = await insertBusiness(em, businessId, request, isRehearsal);
      if (row?.id) {
        const holder = { businessId, importSupplier: request.import_supplier_code, sentWithBusiness: true };
        const duplicates = await insertBusinessContracts(em, holder, request.business.business_contracts);
        if (duplicates.length === 0) return { kind: 'created', serviceBusinessId: row.id };
        await em.rollback();
        return { kind: 'identifiers-taken', indexes: duplicates };
      }
      // A separate statement: only a new snapshot shows the commit of the previous lock holder. A stored business is returned in any status
      // of its supplier.
      const stored = await compareBusiness(em, request);
      if (stored) return stored;
      if (row?.status !== 'Ongoing') return { kind: 'not-ongoing', status: row?.status };
      // A withdrawal deleted the business between the two statements.
      if (attempts === ATTEMPTS_MAX) throw new Error('The business was neither inserted nor found.');
    }
  });
}

function insertBusiness(
  em: EntityManager,
  businessId: string,
  request: CreateBusinessRequest,
  isRehearsal: boolean,
): Promise<{ status: SupplierStatus; id: number | null }[]> {
  const { business_type: type = '', company_name: name, siret = '', details } = request.business;
  const empty = [
    ...(request.business.business_type === '' ? ['business_type'] : []),
    ...(request.business.siret === '' ? ['siret'] : []),
    ...(details?.length === 0 ? ['details'] : []),
  ];
  return run(em, INSERT_BUSINESS, [
    businessId,
    request.import_supplier_code,
    request.external_business_identifier,
    name,
    type,
    normalSiret(siret),
    siret,
    empty,
    JSON.stringify(details ?? []),
    isRehearsal ? neverGivenId() : null,
  ]);
}

/** Returns a negative number, which the sequence never returns; random, so that two rehearsals do not collide. */
function neverGivenId(): number {
  return -1 - Math.floor(Math.random() * (2 ** 31 - 1));
}

async function compareBusiness(
  em: EntityManager,
  request: CreateBusinessRequest,
): Promise<BusinessOutcome | undefined> {
  const {
    business_type: type = '',
    company_name: name,
    siret = '',
    details = [],
    business_contracts: contracts,
  } = request.business;
  const [row] = await run<{ id: number; fields: string[]; changed: number[]; unknown: number[]; missing: string[] }>(
    em,
    COMPARE_BUSINESS,
    [
      request.import_supplier_code,
      request.external_business_identifier,
      name,
      type,
      normalSiret(siret),
      JSON.stringify(details),
      JSON.stringify(contracts),
    ],
  );
  if (row === undefined) return undefined;
  const { id, ...differences } = row;
  return { kind: 'exists', serviceBusinessId: id, differences };
}

export type AddedContractsOutcome =
  | { kind: 'created' }
  | { kind: 'business-not-found' }
  | { kind: 'identifiers-taken'; indexes: number[] };

/** Adds contracts to an existing business, all or none. */
export async function createBusinessContracts(
  database: WritableDatabase,
  request: CreateBusinessContractsRequest,
): Promise<AddedContractsOutcome> {
  return database.transaction(async (em) => {
    const importSupplier = request.import_supplier_code;
    // Lock the business, so that contracts of concurrent requests get consecutive positions.
    const business = await em
      .getKysely<BusinessTable>()
      .selectFrom('business')
      .select('id')
      .where('import_supplier', '=', importSupplier)
      .where('external_business_identifier', '=', request.external_business_identifier)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (business === undefined) return { kind: 'business-not-found' };
    const holder = { businessId: business.id, importSupplier, sentWithBusiness: false };
    const duplicates = await insertBusinessContracts(em, holder, request.business_contracts);
    if (duplicates.length === 0) {
      const identifier = request.external_business_identifier;
      const data = { external_business_identifier: identifier };
      const type = 'import.business.contracts_added.v1';
      await writeEvents(em, [{ importSupplier, type, subject: `businesses/${identifier}`, data }]);
      return { kind: 'created' };
    }
    await em.rollback();
    return { kind: 'identifiers-taken', indexes: duplicates };
  });
}

/**
 * Inserts all contracts of a request with versions and terms, sorted by identifier, so that concurrent requests do not deadlock. Returns the
 * contracts whose identifier already exists; they are not inserted.
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

/** Locks like a foreign key check, in the order of the identifiers. */
const LOCK_CONTRACTS: PreparedQuery = {
  name: 'lock-business-contracts',
  text: `
    with named as (select * from unnest($1::text[], $2::text[]) with ordinality as e (supplier, identifier, n)),
    locked as (
      select c.id, c.import_supplier, c.identifier from business_contract c
      where (c.import_supplier, c.identifier) in (select supplier, identifier from named)
      order by c.import_supplier, c.identifier
      for key share)
    select l.id from named e left join locked l on l.import_supplier = e.supplier and l.identifier = e.identifier order by e.n`,
};

/** The business that contracts are added to; the caller must hold its lock. */
interface ContractHolder {
  businessId: string;
  importSupplier: string;
  /** False for contracts that are added to a business later (operation 13). */
  sentWithBusiness: boolean;
}

/**
 * Adds contracts to a business (operations 12 and 13).
 * @returns the indexes of contracts whose identifier is already used within the import supplier; if there are any, roll back
 */
async function insertBusinessContracts(
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
    holder.sentWithBusiness,
  ]);
  return rows.map((row) => row.index);
}

/** A reference from an account to a business contract. */
export interface NamedContract {
  importSupplier: string;
  identifier: string;
}

/**
 * Finds and locks the business contracts that accounts refer to, in one statement.
 * @returns ids in the order of `named`; null if the import supplier has no such contract
 */
export async function lockNamedContracts(
  em: EntityManager,
  named: readonly NamedContract[],
): Promise<(string | null)[]> {
  const rows = await run<{ id: string | null }>(em, LOCK_CONTRACTS, [
    named.map((name) => name.importSupplier),
    named.map((name) => name.identifier),
  ]);
  return rows.map((row) => row.id);
}
