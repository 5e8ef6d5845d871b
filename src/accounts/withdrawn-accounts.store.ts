/**
 * SQL of the accounts that were withdrawn from an import process, as JSON.
 * @param by expression on the withdrawal `d`
 */
export const withdrawnAccountsSql = (by: string): string => `
  select json_agg(json_build_object('service_account_number', w.number,
    'withdrawn_at', to_char(w.withdrawn_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'withdrawn_by', ${by}, 'reason', d.reason, 'withdrawal_id', d.id) order by w.withdrawn_at)
  from withdrawn_account w cross join lateral (select * from withdrawal where withdrawal.id = w.withdrawal_id limit 1) d
  where w.import_supplier = p.import_supplier and w.external_account_number = p.external_account_number`;
