-- Adds the transactions of a request in one round trip, if none is known and no date must be moved. Returns 'written', 'not-plain' (nothing
-- was written) or 'account-not-found'. A date may count as inside the open statement period only if classify-transactions.rules.ts agrees;
-- test/database/open-period.test.ts compares them.
create or replace function attach_plain_transactions(supplier text, external text, ids text[], today date, sent jsonb, days date[], descriptions text[], job uuid)
returns text language plpgsql volatile as $$
declare
  facts record;
  billed_to date;
begin
  select * into facts from lock_account_for_transactions(supplier, external, ids);
  if not found then
    return 'account-not-found';
  end if;
  billed_to := greatest(facts.last_billed_to_date, facts.last_statement_end);
  if facts.stored is not null or exists (select from unnest(days) d where d > today or d <= billed_to) then
    return 'not-plain';
  end if;
  perform insert_transactions(facts.account_id, sent, days, descriptions, job);
  return 'written';
end $$;
