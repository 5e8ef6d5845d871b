import { setting } from './setting-kinds.ts';

/** The database, and how many connections to it a process holds. */
export const databaseSettings = {
  DATABASE_URL: setting.secret(
    'DATABASE_URL',
    'Postgres to use instead of the embedded one, directly or behind a pooler (docs/running/processes.md).',
    'postgresql://gangway:secret@db.example:5432/gangway',
  ),
  DATABASE_LISTEN_URL: setting.secret(
    'DATABASE_LISTEN_URL',
    'The same database without a pooler in transaction mode, for the one connection of a process that listens for notifications; DATABASE_URL unless set.',
    'postgresql://gangway:secret@postgres.example:5432/gangway',
  ),
  MIGRATE_DATABASE_URL: setting.secret(
    'MIGRATE_DATABASE_URL',
    'The same database by the role that owns its tables, for `migrate` alone; DATABASE_URL unless set. The role of DATABASE_URL then reads and writes rows only.',
    'postgresql://gangway_owner:secret@db.example:5432/gangway',
  ),
  POSTGRES_PORT: setting.port('Port of the embedded Postgres; a free one is taken when it is in use.', 54330),
  HTTP_POOL_SIZE: setting.count('Database connections for requests.', 10),
  LIST_POOL_SIZE: setting.count('Database connections for streamed lists.', 4),
  WORKER_POOL_SIZE: setting.count('Database connections for activities; the worker runs as many at once.', 10),
  LOOKUP_POOL_SIZE: setting.count('Database connections for lookups at the network operators.', 6),
};
