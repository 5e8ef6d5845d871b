import { type Actor, type ContactDataRead, recordAudit, withoutContactData } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import { type Refused, refuse } from '../vocabulary/refusals.ts';
import { Business } from './business.entity.ts';

/** The key of a business: the supplier's, or ours. */
export type BusinessKey =
  | { importSupplier: string; externalBusinessIdentifier: string }
  | { serviceBusinessId: number };

/** Selects contracts and accounts; all by default. */
export interface BusinessWindow {
  /** Only contracts after this position. */
  contractsAfter?: number;
  contractsMax?: number;
  /** Only accounts after this external number. */
  accountsAfter?: string;
  accountsMax?: number;
}

/**
 * Omits optional fields that were not sent, and shows fields that were sent empty. Removes nulls from named fields only, not inside terms.
 */
const FIND_BUSINESS: PreparedQuery = {
  name: 'find-business',
  text: `
    select json_build_object(
      'import_supplier_code', b.import_supplier,
      'external_business_identifier', b.external_business_identifier,
      'service_business_id', b.service_business_id,
      'created_at', to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'business', jsonb_strip_nulls(jsonb_build_object(
          'business_type', coalesce(b.business_type, case when 'business_type' = any(b.sent_empty) then '' end),
          'company_name', b.company_name,
          'siret', coalesce(b.siret_as_sent, case when 'siret' = any(b.sent_empty) then '' end),
          'details', coalesce(
            (select jsonb_agg(jsonb_build_object('key', d.key, 'value', d.value) order by d.position) from business_detail d where d.business_id = b.id),
            case when 'details' = any(b.sent_empty) then '[]'::jsonb end)))
        || jsonb_build_object('business_contracts', coalesce((
          select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
              'identifier', c.identifier,
              'valid_from_date', c.valid_from_date,
              'signed_at_date', coalesce(to_jsonb(c.signed_at_date), case when 'signed_at_date' = any(c.sent_empty) then '""'::jsonb end)))
            || jsonb_build_object('versions', (
              select jsonb_agg(jsonb_build_object('applicable_at_date', v.applicable_at_date, 'terms', coalesce((
                select jsonb_agg(t.content order by t.position) from contract_term t
                where t.business_contract_id = v.business_contract_id and t.version_position = v.position), '[]')) order by v.position)
              from contract_version v where v.business_contract_id = c.id))
            order by c.position)
          from (select * from business_contract of_business where of_business.business_id = b.id and of_business.position > $1
            order by of_business.position limit $2) c), '[]')),
      'accounts', coalesce((
        select json_agg(json_build_object(
            'external_account_number', a.external_account_number,
            'service_account_number', a.number,
            'business_contract_identifier', a.contract,
            'account_created_at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
          order by a.external_account_number)
        from (select linked.*, of_business.identifier as contract from business_contract of_business
          join lateral (select * from account of_contract where of_contract.business_contract_id = of_business.id and of_contract.external_account_number > $3
            order by of_contract.external_account_number limit $4) linked on true
          where of_business.business_id = b.id order by linked.external_account_number limit $4) a), '[]'))::text as json
    from business b where b.id = $5`,
};

/**
 * Returns a business with its contracts and accounts to an operator. Its details may name people, so each read is audited, and the
 * values are masked unless the operator may see them or the business was searched by them. The cost grows with the number of contracts and
 * of requested accounts.
 * @returns JSON text; a rejection if the business does not exist
 */
export async function readBusiness(
  database: Database,
  actor: Actor,
  key: BusinessKey,
  { isOpen, isRevealed }: ContactDataRead,
  { contractsAfter = -1, contractsMax, accountsAfter = '', accountsMax }: BusinessWindow = {},
): Promise<string | Refused> {
  return database.transaction(async (em) => {
    const business = await em.findOne(Business, key);
    if (business === null) return refuse('business_not_found');
    const window = [contractsAfter, contractsMax ?? null, accountsAfter, accountsMax ?? null];
    const [found] = await run<{ json: string }>(em, FIND_BUSINESS, [...window, business.id]);
    const subject = `businesses/${business.importSupplier}/${business.externalBusinessIdentifier}`;
    await recordAudit(em, actor, { action: isRevealed ? 'business.contact_data_revealed' : 'business.read', subject });
    return isOpen || isRevealed ? found!.json : withoutContactData(found!.json);
  });
}
