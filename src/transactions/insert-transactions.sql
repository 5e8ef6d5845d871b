-- Inserts the transactions of a request with their items after the existing ones. The caller must hold the lock of the account. Empty
-- optional texts count as absent, hence the nullif.
create or replace function insert_transactions(account uuid, sent jsonb, days date[], descriptions text[], job uuid) returns void language plpgsql volatile as $$
declare
  first_transaction integer := (select coalesce(max(position) + 1, 0) from transaction where account_id = account);
  first_line integer := (select coalesce(max(position) + 1, 0) from transaction_line_item where account_id = account);
  first_tax integer := (select coalesce(max(position) + 1, 0) from transaction_tax_item where account_id = account);
begin
  insert into transaction (account_id, position, transaction_id, transaction_date, amount, type, reason, display_note, note, reference, payment_type, product_code, description, sent, import_job_id)
  select account, first_transaction + t.n - 1, t.item ->> 'transaction_id', t.day, (t.item ->> 'amount')::numeric, t.item ->> 'type', nullif(t.item ->> 'reason', ''),
    nullif(t.item ->> 'display_note', ''), nullif(t.item ->> 'note', ''), nullif(t.item ->> 'reference', ''), nullif(t.item ->> 'payment_type', ''),
    nullif(t.item ->> 'product_code', ''), t.description, t.item, job
  from rows from (jsonb_array_elements(sent), unnest(days), unnest(descriptions)) with ordinality as t (item, day, description, n) order by t.n;
  if not jsonb_path_exists(sent, '$[*].line_items') then
    return;
  end if;
  insert into transaction_line_item (account_id, position, transaction_position, start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units)
  select account, first_line + row_number() over (order by t.n, l.n) - 1, first_transaction + t.n - 1, l.start_date, l.end_date, l.number_of_units, l.net_amount,
    nullif(l.price_per_unit, '')::numeric, nullif(l.rate_band, ''), l.units
  from jsonb_array_elements(sent) with ordinality as t (item, n), rows from (jsonb_to_recordset(t.item -> 'line_items') as (start_date date, end_date date,
    number_of_units numeric, net_amount numeric, price_per_unit text, rate_band text, units numeric[]))
    with ordinality as l (start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units, n) order by t.n, l.n;
  insert into transaction_tax_item (account_id, position, transaction_position, amount, tax_type, value_taxed, rate, unit_type)
  select account, first_tax + row_number() over (order by t.n, x.n) - 1, first_transaction + t.n - 1, x.amount, x.tax_type, nullif(x.value_taxed, '')::numeric,
    nullif(x.rate, '')::numeric, nullif(x.unit_type, '')
  from jsonb_array_elements(sent) with ordinality as t (item, n), rows from (jsonb_to_recordset(t.item -> 'tax_items') as (amount numeric, tax_type text,
    value_taxed text, rate text, unit_type text)) with ordinality as x (amount, tax_type, value_taxed, rate, unit_type, n) order by t.n, x.n;
end $$;
