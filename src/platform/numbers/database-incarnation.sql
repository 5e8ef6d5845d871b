-- Identifies this state of the database, to distinguish it from a copy or an earlier state: restored files need a server start, a copy on
-- the same server has another oid, and restoring a dump creates the table anew. The last part is Postgres's timeline, which each promotion
-- increments. A change without need only wastes numbers.
create or replace function database_incarnation() returns text language sql stable as $$
  select extract(epoch from pg_postmaster_start_time())::text || '/' || (select oid from pg_database where datname = current_database())
    || '/' || 'number_mark'::regclass::oid || '/' || pg_relation_filenode('number_mark')
    || '/' || case when pg_is_in_recovery() then 0 else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end
$$;
