-- Drops the partitions of months whose jobs have all lost their results. A partition whose lock is not free remains until the next call.
-- Returns the number of dropped partitions.
create or replace function drop_old_job_lines() returns integer language plpgsql as $$
declare
  month timestamp;
  dropped integer := 0;
begin
  -- The clock of a process that makes job ids may differ from the clock of the database, but not by a day.
  for month in select m from month_partitions('import_job_line') m where m + interval '1 month 1 day' <= now() at time zone 'UTC' loop
    continue when exists (
      select from import_job j
      where j.id >= first_key_of_month('uuid', month)::uuid and j.id < first_key_of_month('uuid', month + interval '1 month')::uuid
        and j.results_deleted_at is null);
    begin
      perform drop_month_partition('import_job_line', month);
      dropped := dropped + 1;
    exception when lock_not_available or deadlock_detected then null;
    end;
  end loop;
  return dropped;
end $$;
