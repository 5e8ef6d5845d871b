-- Drops the partitions of months that ended more than `kept_days` ago, and stores the last position of each import supplier in them: cursors
-- before it are lost. A partition whose lock is not free remains until the next call. Returns the number of dropped partitions.
create or replace function drop_old_events(kept_days integer) returns integer language plpgsql as $$
declare
  month timestamp;
  dropped integer := 0;
begin
  for month in
    select m from month_partitions('event') m where m + interval '1 month' <= now() at time zone 'UTC' - make_interval(days => kept_days)
  loop
    begin
      insert into event_deletion as d (import_supplier, position)
        select s.code, last.position from import_supplier s cross join lateral (
          select e.position from event e
          where e.import_supplier = s.code and e.position >= first_key_of_month('bigint', month)::bigint
            and e.position < first_key_of_month('bigint', month + interval '1 month')::bigint
          order by e.position desc limit 1) last
      on conflict (import_supplier) do update set position = excluded.position where d.position < excluded.position;
      perform drop_month_partition('event', month);
      dropped := dropped + 1;
    exception when lock_not_available or deadlock_detected then null;
    end;
  end loop;
  return dropped;
end $$;
