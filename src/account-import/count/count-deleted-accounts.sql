-- Removes deleted staged accounts from the counts of known accounts and of their state. Appends only
-- (docs/decisions/0048-counts-by-appending.md).
create or replace function count_deleted_accounts() returns trigger language plpgsql as $$
begin
  insert into account_count_change (import_supplier, state, change)
    select b.import_supplier, states.state, -count(*)
    from before_rows b, unnest(array['known', held_up_state(b.imported_at, b.skipped_at, b.workflow_id, b.refusal)]) as states (state)
    where states.state is not null group by 1, 2;
  return null;
end $$;
