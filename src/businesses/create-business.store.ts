import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { writeEventsSql } from '../events/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import { insertBusinessContracts } from './business-contract.store.ts';
import { normalSiret } from './business-details.rules.ts';
import type { BusinessDifferences } from './create-business.rules.ts';
import type { CreateBusinessRequest } from './create-business.schema.ts';

export type BusinessOutcome =
  | { kind: 'created'; serviceBusinessId: number }
  /** The business is stored already, with or without differences. */
  | { kind: 'exists'; serviceBusinessId: number; differences: BusinessDifferences }
  | { kind: 'labels-taken'; indexes: number[] }
  | { kind: 'not-ongoing'; status: SupplierStatus | undefined };

/** The row that others wait for: of ten copies at once one writes it, the rest find it when the first has committed. */
const INSERT_BUSINESS: PreparedQuery = {
  name: 'insert-business',
  text: `
    with supplier as (select code, status from import_supplier where code = $2),
    written as (
      insert into business (id, import_supplier, external_business_identifier, company_name, business_type, siret, siret_as_sent, sent_empty, service_business_id)
      select $1, code, $3, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''), $8::text[], coalesce($10::integer, next_business_id()) from supplier
      -- Looked for first: an insert that comes to nothing would use up an id.
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
 * Compares inside the database, where every digit of a number is kept and 1.50 equals 1.5. What counts as absent, the
 * order of the details and that of the versions make no difference.
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

/**
 * Creates a business with its contracts in one transaction, or returns its differences from the stored one.
 * @param isRehearsal the caller rolls it back, so it takes no id of the sequence
 */
export async function createBusiness(
  database: WritableDatabase,
  request: CreateBusinessRequest,
  isRehearsal = false,
): Promise<BusinessOutcome> {
  return database.transaction(async (em) => {
    const businessId = uuidv7();
    const [row] = await insertBusiness(em, businessId, request, isRehearsal);
    if (row?.id) {
      const holder = { businessId, importSupplier: request.import_supplier_code, cameWithBusiness: true };
      const taken = await insertBusinessContracts(em, holder, request.business.business_contracts);
      if (taken.length === 0) return { kind: 'created', serviceBusinessId: row.id };
      await em.rollback();
      return { kind: 'labels-taken', indexes: taken };
    }
    // A separate statement, because only a new snapshot shows the commits of the previous lock holder. A stored business is not created again, in any status of its supplier.
    const stored = await compareBusiness(em, request);
    if (stored) return stored;
    if (row?.status === 'Ongoing') {
      throw new Error('A business that stood in the way of its creation is gone; businesses are never deleted.');
    }
    return { kind: 'not-ongoing', status: row?.status };
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

/** Negative, which the sequence never is, and random, so that two rehearsals do not collide. */
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
