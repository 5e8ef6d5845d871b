-- Deletes one batch of audit entries older than `kept_days` and returns their number. The service's own role may not delete
-- entries directly; this function never deletes entries of the last year, for any arguments.
create or replace function delete_old_audit_entries(kept_days integer, most integer) returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with old as materialized (
    select id from public.audit_entry where at < now() - make_interval(days => greatest(kept_days, 365)) order by at limit least(most, 1000)),
  gone as (delete from public.audit_entry a using old where a.id = old.id returning 1)
  select count(*)::integer from gone
$$;
