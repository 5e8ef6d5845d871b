-- Acquires a slot of the concurrency limit and returns 'taken', 'none-free', or 'off' if there is no limit. A function, because its later
-- statements see the commits made while it waited for the lock; a single statement would count by its first snapshot and admit two. An
-- account holds at most one slot over all processes.
-- Suppliers share the slots. After 'none-free' a supplier is expected to retry within three seconds (the response says two). Until then a
-- slot is kept for it, unless the requesting supplier holds fewer slots, or equally many and has waited longer.
create or replace function take_creation_slot(wanted_id uuid, supplier text, external text) returns text language plpgsql volatile as $$
declare
  slots_max integer;
  process_id uuid;
  slots_held integer;
  held_by_supplier integer;
  waits_since timestamptz;
  go_before integer;
begin
  select (value ->> 'limit')::integer into slots_max from setting where name = 'create-account-concurrency-limit' for no key update;
  if slots_max is null then
    return 'off';
  end if;
  select id into process_id from import_process where import_supplier = supplier and external_account_number = external;
  if not exists (select from creation_slot where import_process_id = process_id) then
    select count(distinct coalesce(import_process_id, creation_id)), count(distinct coalesce(import_process_id, creation_id)) filter (where import_supplier = supplier)
      into slots_held, held_by_supplier from creation_slot;
    select w.since into waits_since from creation_slot_wait w where w.import_supplier = supplier and w.asked_at > clock_timestamp() - interval '3 seconds';
    select count(*) into go_before
      from creation_slot_wait w
        cross join lateral (select count(distinct coalesce(s.import_process_id, s.creation_id)) as held from creation_slot s where s.import_supplier = w.import_supplier) other
      where w.import_supplier <> supplier and w.asked_at > clock_timestamp() - interval '3 seconds'
        and (other.held, w.since) < (held_by_supplier, coalesce(waits_since, 'infinity'));
    if slots_held + go_before >= slots_max then
      -- Updated at most twice a second, because many requests may get this answer.
      insert into creation_slot_wait as w (import_supplier, since, asked_at) values (supplier, clock_timestamp(), clock_timestamp())
      on conflict (import_supplier) do update set asked_at = clock_timestamp(), since = coalesce(waits_since, clock_timestamp())
        where w.asked_at < clock_timestamp() - interval '0.5 seconds';
      return 'none-free';
    end if;
    delete from creation_slot_wait where import_supplier = supplier;
  end if;
  -- A repeated request has its previous id and takes over the slot that its lost run may still hold.
  insert into creation_slot (creation_id, import_process_id, import_supplier) values (wanted_id, process_id, supplier)
  on conflict (creation_id) do update set taken_at = now(), workflow_id = null;
  return 'taken';
end $$;
