-- How many accounts a statement has staged for the first time, or created: one row for each supplier and state
-- (docs/decisions/0048-counts-by-appending.md). It appends and updates nothing, so no transaction waits for another one.
create or replace function count_new_accounts() returns trigger language plpgsql as $$
begin
  -- A payload that replaced another one comes by here too, without a new row.
  if not exists (select from after_rows) then
    return null;
  end if;
  if tg_table_name = 'import_process' then
    insert into account_count_change (import_supplier, state, change)
      select import_supplier, 'known', count(*) from after_rows group by 1;
  else
    insert into account_count_change (import_supplier, state, change)
      select import_supplier, state, count(*) from after_rows, unnest(array['created', switch_status]) as state group by 1, 2;
  end if;
  return null;
end $$;
