-- Tells this database from any copy of it and from itself before a restart: a copy of the files needs a start of the
-- server, a copy inside the server has another oid, and a dump that is read back makes the table anew. It may change
-- without need; numbers then leap, which costs nothing.
create or replace function database_incarnation() returns text language sql stable as $$
  select extract(epoch from pg_postmaster_start_time())::text || '/' || (select oid from pg_database where datname = current_database())
    || '/' || 'number_mark'::regclass::oid || '/' || pg_relation_filenode('number_mark')
$$;
