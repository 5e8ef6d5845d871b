-- Counts the accounts that a statement created: one row for each supplier and state. It only appends, so that no transaction waits for
-- another (docs/decisions/0048-counts-by-appending.md).
create or replace function count_new_accounts() returns trigger language plpgsql as $$
begin
  insert into account_count_change (import_supplier, state, change)
    select import_supplier, state, count(*) from after_rows, unnest(array['created', switch_status]) as state group by 1, 2;
  return null;
end $$;
