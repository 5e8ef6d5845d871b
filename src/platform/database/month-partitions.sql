-- Returns the months of the partitions of a table, as their first moment in UTC.
create or replace function month_partitions(of_table text) returns setof timestamp
language sql stable set search_path = pg_catalog as $$
  select to_date(substr(relname, length(of_table) + 2), 'YYYY_MM')::timestamp from pg_class
  where relnamespace = 'by_month'::regnamespace and relkind = 'r' and relname ~ ('^' || of_table || '_\d{4}_\d{2}$') order by 1
$$;
