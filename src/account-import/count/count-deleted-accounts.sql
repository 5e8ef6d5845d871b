-- Removes deleted rows from the counts: staged accounts from those of known accounts and of their state, withdrawn accounts from those of
-- created accounts and of their switch. Appends only (docs/decisions/0048-counts-by-appending.md).
create or replace function count_deleted_accounts() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'account' then
    insert into account_count_change (import_supplier, state, change)
      select b.import_supplier, states.state, -count(*) from before_rows b, unnest(array['created', b.switch_status]) as states (state) group by 1, 2;
  else
    insert into account_count_change (import_supplier, state, change)
      select b.import_supplier, states.state, -count(*)
      from before_rows b, unnest(array['known', held_up_state(b.imported_at, b.skipped_at, b.workflow_id, b.refusal)]) as states (state)
      where states.state is not null group by 1, 2;
  end if;
  return null;
end $$;
