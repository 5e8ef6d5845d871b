-- Takes a slot of the concurrency limit: 'taken', 'none-free', or 'off' where there is no limit.
-- A function, because its inner statements see what was committed while the first of them waited for the lock; a single
-- statement would count as of its own beginning and let two in at once. An account that holds a slot already takes no
-- second one, whatever process asks.
create or replace function take_creation_slot(wanted_id uuid, supplier text, external text) returns text language plpgsql volatile as $$
declare
  slots_max integer;
  process_id uuid;
begin
  select (value ->> 'limit')::integer into slots_max from setting where name = 'create-account-concurrency-limit' for no key update;
  if slots_max is null then
    return 'off';
  end if;
  select id into process_id from import_process where import_supplier = supplier and external_account_number = external;
  if not exists (select from creation_slot where import_process_id = process_id)
    and (select count(distinct coalesce(import_process_id, creation_id)) from creation_slot) >= slots_max then
    return 'none-free';
  end if;
  insert into creation_slot (creation_id, import_process_id) values (wanted_id, process_id);
  return 'taken';
end $$;
