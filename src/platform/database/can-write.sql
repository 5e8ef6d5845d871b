-- Whether Postgres stores anything: reads succeed while the disk of its data is full, and on a stand-by. Rows of a table would
-- find free room in its pages, so this writes a temporary file of some 100 kB, by a sort area that is too small for the rows.
create or replace function can_write() returns boolean language sql volatile set work_mem = '64kB' as $$
  select count(*) > 0 and current_setting('transaction_read_only') = 'off' from generate_series(1, 4000)
$$;
