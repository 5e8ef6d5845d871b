-- Locks an account and returns the facts for new transactions: the ends of its billed periods, and its transactions with one of `ids`,
-- oldest first. Returns no row if the account does not exist.
create or replace function lock_account_for_transactions(supplier text, external text, ids text[])
returns table (account_id uuid, last_billed_to_date date, last_statement_end date, stored jsonb) language plpgsql volatile as $$
begin
  select a.id, a.last_billed_to_date into account_id, last_billed_to_date
  from account a where a.import_supplier = supplier and a.external_account_number = external for no key update;
  if account_id is null then
    return;
  end if;
  last_statement_end := (select max(s.bill_period_to_date) from statement s where s.account_id = lock_account_for_transactions.account_id);
  stored := (
    select jsonb_agg(jsonb_build_object('transactionId', t.transaction_id, 'sent', t.sent, 'transactionDate', t.transaction_date, 'description', t.description) order by t.position)
    from transaction t where t.account_id = lock_account_for_transactions.account_id and t.transaction_id = any (ids));
  return next;
end $$;
