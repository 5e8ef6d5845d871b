-- Moves an account from the count of its old state to that of its new state. The trigger fires only when the state changes, so that
-- replacing a payload and creating an account write nothing here.
create or replace function count_changed_account() returns trigger language plpgsql as $$
declare
  states text[];
begin
  if tg_table_name = 'import_process' then
    states := array[held_up_state(old.imported_at, old.skipped_at, old.workflow_id, old.refusal),
      held_up_state(new.imported_at, new.skipped_at, new.workflow_id, new.refusal)];
  else
    states := array[old.switch_status, new.switch_status];
  end if;
  insert into account_count_change (import_supplier, state, change)
    select new.import_supplier, moved.state, moved.change from unnest(states, array[-1, 1]) as moved (state, change) where moved.state is not null;
  return null;
end $$;
