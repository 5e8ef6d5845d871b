import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { SubjectDifference } from '../difference.store.ts';

/**
 * No copy of a business is stored, so only columns that must agree with each other are compared: the SIRET and its sent form, the type of a
 * term and its content, fields that were sent empty, and positions, which must be consecutive.
 */
const COMPARE: PreparedQuery = {
  name: 'reconcile-businesses',
  text: `
    with wanted as (select b.* from business b where b.import_supplier = $1 and b.external_business_identifier = any($2::text[])),
    contract as (
      select w.external_business_identifier as key, c.*, row_number() over (partition by c.business_id order by c.position) - 1 as place
      from wanted w join business_contract c on c.business_id = w.id),
    version as (
      select c.key, c.place as contract, v.*, row_number() over (partition by v.business_contract_id order by v.position) - 1 as place
      from contract c join contract_version v on v.business_contract_id = c.id),
    term as (
      select v.key, v.contract, v.place as version, t.*, row_number() over (partition by t.business_contract_id, t.version_position order by t.position) - 1 as place
      from version v join contract_term t on t.business_contract_id = v.business_contract_id and t.version_position = v.position)
    select external_business_identifier as key, 'siret' as path, 'changed' as kind, 'business' as table, 'siret' as column from wanted
      where siret is distinct from nullif(regexp_replace(siret_as_sent, '[^0-9]', '', 'g'), '')
    union all select external_business_identifier, e, 'extra', 'business', e from wanted, unnest(sent_empty) e
      where (e = 'business_type' and business_type is not null) or (e = 'siret' and siret is not null)
        or (e = 'details' and exists (select from business_detail d where d.business_id = wanted.id))
    union all select w.external_business_identifier, 'details', 'missing', 'business_detail', null from wanted w
      where exists (select from business_detail d where d.business_id = w.id having count(*) <> max(d.position) + 1)
    union all select key, 'business_contracts.' || place, 'missing', 'business_contract', null from contract where position <> place
    union all select key, 'business_contracts.' || place || '.signed_at_date', 'extra', 'business_contract', 'signed_at_date' from contract
      where 'signed_at_date' = any(sent_empty) and signed_at_date is not null
    union all select key, 'business_contracts.' || place, 'changed', 'business_contract', 'import_supplier' from contract where import_supplier <> $1
    union all select c.key, 'business_contracts.' || c.place || '.versions', 'missing', 'contract_version', null from contract c
      where not exists (select from version v where v.business_contract_id = c.id)
    union all select key, 'business_contracts.' || contract || '.versions.' || place, 'missing', 'contract_version', null from version where position <> place
    union all select key, 'business_contracts.' || contract || '.versions.' || version || '.terms.' || place, 'missing', 'contract_term', null from term where position <> place
    union all select key, 'business_contracts.' || contract || '.versions.' || version || '.terms.' || place || '.term_type', 'changed', 'contract_term', 'term_type' from term
      where content ->> 'term_type' is distinct from term_type`,
};

/** Compares businesses of an import supplier by their external identifiers. */
export async function compareBusinesses(
  em: EntityManager,
  importSupplier: string,
  identifiers: readonly string[],
): Promise<SubjectDifference[]> {
  if (identifiers.length === 0) return [];
  const rows = await run<SubjectDifference & Record<string, unknown>>(em, COMPARE, [importSupplier, identifiers]);
  return rows.map((row) => ({ ...row, subject: 'business', reason: null }));
}
