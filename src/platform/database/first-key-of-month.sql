-- Returns the first key of a month of a table with a partition for each month (docs/decisions/0078-partitions.md): a UUID of version 7,
-- which begins with milliseconds, or the position of an event, a bigint. A month has 10^12 positions.
create or replace function first_key_of_month(key_type regtype, month timestamp) returns text
language sql immutable set search_path = pg_catalog as $$
  select case key_type
    when 'uuid'::regtype then (lpad(to_hex((extract(epoch from month) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid::text
    else (((extract(year from month) - 2000) * 12 + extract(month from month) - 1)::bigint * 1000000000000)::text
  end
$$;
