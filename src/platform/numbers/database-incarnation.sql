-- Identifies this database, as opposed to a copy of it or itself before a restart: restored files need a start of the
-- server, a copy inside the server has another oid, and restoring a dump creates the table anew. The last part is the
-- timeline of Postgres, which each promotion raises. A value that changes without need only wastes numbers.
create or replace function database_incarnation() returns text language sql stable as $$
  select extract(epoch from pg_postmaster_start_time())::text || '/' || (select oid from pg_database where datname = current_database())
    || '/' || 'number_mark'::regclass::oid || '/' || pg_relation_filenode('number_mark')
    || '/' || case when pg_is_in_recovery() then 0 else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end
$$;
