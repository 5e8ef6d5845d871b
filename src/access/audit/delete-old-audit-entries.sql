-- Deletes the oldest blocks of the chain whose day is anchored and ended more than `kept_days` ago, with their entries, until at least `most`
-- entries are deleted, and returns their number. The service's own role may not delete them directly; this function never deletes entries of
-- the last year, for any arguments.
create or replace function delete_old_audit_entries(kept_days integer, most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  block record;
  deleted integer := 0;
begin
  for block in
    select b.number, b.ids, b.entries from public.audit_block b
    where b.day < (now() at time zone 'UTC')::date - greatest(kept_days, 365)
      and b.number <= (select a.last_block from public.audit_anchor a order by a.day desc limit 1)
    order by b.number limit 1000 for update
  loop
    delete from public.audit_entry where id = any (block.ids);
    delete from public.audit_block where number = block.number;
    deleted := deleted + block.entries;
    exit when deleted >= least(most, 1000);
  end loop;
  return deleted;
end $$;
