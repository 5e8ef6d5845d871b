import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';

/** A cause that prevents the creation of staged accounts, by error code and field. */
export interface StagedCause {
  code: string;
  /** Field path, with list indexes replaced by `*`. */
  place: string;
  records: number;
  /** Accounts with no other cause. */
  alone: number;
  /** An affected account, as an example. */
  externalAccountNumber: string;
}

const CAUSES_LISTED_MAX = 1_000;
const PENDING = 'p.import_supplier = $1 and p.imported_at is null';
/** The expression of the index import_process_contract_label. Without the index, reading a million payloads takes a minute. */
const LABEL = `((p.payload -> 'business' ->> 'business_contract_identifier') collate "C")`;
const LABELLED = `${PENDING} and ${LABEL} <> ''`;

/**
 * Reads each label once from the index, however many accounts name it. Business contracts and skip marks are checked against the present
 * state, because they may have changed since the refusal.
 */
const FIND: PreparedQuery = {
  name: 'staged-causes',
  text: `
    with recursive label (label) as (
      (select ${LABEL} from import_process p where ${LABELLED} order by ${LABEL} limit 1)
      union all
      select (select ${LABEL} from import_process p where ${LABELLED} and ${LABEL} > l.label order by ${LABEL} limit 1)
      from label l where l.label is not null),
    missing as materialized (
      select l.label from label l
      where l.label is not null and not exists (select from business_contract c where c.import_supplier = $1 and c.identifier = l.label)),
    found as (
      select p.id, p.external_account_number as external, 'business_contract_not_found' as code, 'business.business_contract_identifier' as place
      from missing m cross join lateral (select p.id, p.external_account_number from import_process p where ${LABELLED} and ${LABEL} = m.label) p
      union all
      select p.id, p.external_account_number, 'import_process_marked_to_skip', 'non_field_errors' from import_process p where ${PENDING} and p.skipped_at is not null
      union all
      select p.id, p.external_account_number,
        coalesce(e.error ->> 'code', case p.refusal ->> 'code' when 'creation_failed' then 'quarantined' else p.refusal ->> 'code' end),
        regexp_replace(coalesce(e.error ->> 'attr', 'non_field_errors'), '(^|\\.)\\d+(?=\\.|$)', '\\1*', 'g')
      from import_process p left join lateral jsonb_array_elements(p.refusal -> 'errors') e (error) on true
      where ${PENDING} and p.refusal is not null
        and coalesce(e.error ->> 'code', p.refusal ->> 'code') not in ('business_contract_not_found', 'import_process_marked_to_skip')),
    fault as (select distinct id, external, code, place from found),
    counted as (select *, count(*) over (partition by id) as faults from fault)
    select code, place, count(*)::integer as records, (count(*) filter (where faults = 1))::integer as alone, min(external) as "externalAccountNumber"
    from counted group by code, place order by records desc, alone desc, code, place limit ${CAUSES_LISTED_MAX}`,
};

/**
 * Returns the known causes that prevent the creation of an import supplier's staged accounts: stored refusals, skip marks, quarantine, and
 * missing business contracts.
 * @param em in a separate transaction, because work_mem is changed
 */
export async function findStagedCauses(em: EntityManager, importSupplier: string): Promise<StagedCause[]> {
  await em.execute(`set local work_mem = '64MB'`);
  return run<StagedCause & Record<string, unknown>>(em, FIND, [importSupplier]);
}
