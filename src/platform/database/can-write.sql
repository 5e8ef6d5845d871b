-- Whether Postgres can store data: reads succeed even if the disk is full, and on a standby. Table rows could fit into free space of
-- existing pages, so this writes a temporary file of about 100 kB: the sort area is too small for the rows.
create or replace function can_write() returns boolean language sql volatile set work_mem = '64kB' as $$
  select count(*) > 0 and current_setting('transaction_read_only') = 'off' from generate_series(1, 4000)
$$;
