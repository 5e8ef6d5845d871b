-- Returns the tables whose default partition has rows: partitions of their months were not made in time. Owned by the owner of the tables,
-- because the service cannot read a partition by name.
create or replace function tables_without_month() returns setof text
language plpgsql stable security definer set search_path = pg_catalog as $$
declare
  parent record;
  has_rows boolean;
begin
  for parent in
    select c.relname as name, p.partdefid::regclass as other from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
    where c.relnamespace = 'public'::regnamespace and p.partdefid <> 0 order by 1
  loop
    execute format('select exists (select from %s)', parent.other) into has_rows;
    if has_rows then
      return next parent.name;
    end if;
  end loop;
end $$;
