-- Makes the partitions of this and the next two months, and those of earlier months whose rows are in the default partition because this
-- function was not called in time; moves these rows. Returns the number of partitions that could not be made because a lock was not free:
-- statements that use the table wait for at most the lock timeout. Owned by the owner of the tables, because the service cannot create any.
create or replace function make_month_partitions() returns integer
language plpgsql security definer set search_path = pg_catalog, public set lock_timeout = '200ms' as $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'UTC');
  failed integer := 0;
  parent record;
  month timestamp;
  name text;
  is_of_month text;
  has_rows boolean;
begin
  for parent in
    select c.relname as name, a.attname as key, a.atttypid::regtype as key_type, d.oid::regclass as other, array_to_string(d.reloptions, ', ') as options
    from pg_partitioned_table p join pg_class c on c.oid = p.partrelid join pg_class d on d.oid = p.partdefid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
    where d.relnamespace = 'by_month'::regnamespace
  loop
    for month in select generate_series(this_month - interval '24 months', this_month + interval '2 months', interval '1 month') loop
      name := parent.name || to_char(month, '_YYYY_MM');
      continue when to_regclass('by_month.' || quote_ident(name)) is not null;
      is_of_month := format('%1$I >= %2$L and %1$I < %3$L', parent.key, first_key_of_month(parent.key_type, month),
        first_key_of_month(parent.key_type, month + interval '1 month'));
      execute format('select exists (select from %s where %s)', parent.other, is_of_month) into has_rows;
      continue when month < this_month and not has_rows;
      begin
        execute format('lock table public.%I in share update exclusive mode', parent.name);
        execute format('lock table %s in access exclusive mode', parent.other);
        execute format('create table by_month.%I (like public.%I including all)%s', name, parent.name, ' with (' || parent.options || ')');
        execute format('with moved as (delete from %s where %s returning *) insert into by_month.%I select * from moved', parent.other, is_of_month, name);
        execute format('alter table public.%I attach partition by_month.%I for values from (%L) to (%L)', parent.name, name,
          first_key_of_month(parent.key_type, month), first_key_of_month(parent.key_type, month + interval '1 month'));
      exception when lock_not_available or deadlock_detected or duplicate_table then
        failed := failed + 1;
      end;
    end loop;
  end loop;
  return failed;
end $$;
