import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';

/**
 * Optional fields that were not sent are left out, those sent empty are shown empty; only the named fields are stripped
 * of nulls, never what stands inside a term.
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
          from business_contract c where c.business_id = b.id), '[]')),
      'accounts', coalesce((
        select json_agg(json_build_object(
            'external_account_number', a.external_account_number,
            'service_account_number', a.number,
            'business_contract_identifier', c.identifier,
            'account_created_at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
          order by a.external_account_number)
        from business_contract c join account a on a.business_contract_id = c.id where c.business_id = b.id), '[]'))::text as json
    from business b where b.import_supplier = $1 and b.external_business_identifier = $2`,
};

/**
 * A business with its contracts as they were sent and the accounts that use them.
 * @returns JSON text, which keeps digits that a number of JavaScript would lose; undefined if there is no such business
 */
export async function findBusiness(
  database: Queryable,
  importSupplier: string,
  externalBusinessIdentifier: string,
): Promise<string | undefined> {
  const [row] = await run<{ json: string }>(database, FIND_BUSINESS, [importSupplier, externalBusinessIdentifier]);
  return row?.json;
}
