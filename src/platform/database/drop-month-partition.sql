-- Drops the partition of a month with its rows. Fails with lock_not_available if a lock is not free: statements that use the table wait for
-- at most the lock timeout. Owned by the owner of the tables. The service may delete rows of these tables, too.
create or replace function drop_month_partition(of_table text, month timestamp) returns void
language plpgsql security definer set search_path = pg_catalog set lock_timeout = '200ms' as $$
begin
  execute format('drop table by_month.%I', of_table || to_char(month, '_YYYY_MM'));
end $$;
