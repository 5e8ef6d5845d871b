import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { applySqlFiles, type SqlFile } from './apply-sql-files.ts';
import { readDatabaseUrl } from './connection-options.ts';
import { grantToApplication } from './grant-application.ts';
import { M001Baseline } from './migrations/m001-baseline.ts';

/**
 * All migrations in order. Before the release of 0.1.0 schema changes are made in `schema/*.sql`. Afterward released migrations never
 * change, and each schema change is a new migration (docs/running/upgrades.md).
 */
export const migrations = [M001Baseline];

/** If one role owns the tables and serves, its settings must not apply to migrations, which take long and scan whole tables. */
const WITHOUT_ROLE_SETTINGS =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c enable_seqscan=on -c plan_cache_mode=auto';

/** Key of the advisory lock that serializes migrations when several processes start concurrently. */
const LOCK_KEY = 4_716_202;

/**
 * Migrates the database to the newest schema and functions.
 * @param url of the role that owns the tables
 * @param files the SQL functions; passed in, because the platform does not import capabilities
 * @param applicationRole the role that the service runs as, if it is not the owner
 * @returns the names of the migrations and the paths of the function files that were applied
 * @throws ApplicationRoleMissing if the role does not exist
 */
export async function migrate(url: string, files: readonly SqlFile[], applicationRole?: string): Promise<string[]> {
  const { url: address, ssl } = readDatabaseUrl(url);
  const orm = await MikroORM.init({
    clientUrl: address,
    driverOptions: { ...(ssl ? { ssl } : {}), options: WITHOUT_ROLE_SETTINGS },
    entities: [],
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    extensions: [Migrator],
    pool: { min: 0, max: 2 },
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      snapshot: false,
      allOrNothing: true,
      disableForeignKeys: false,
    },
    logger: () => {},
  } as never);
  const pool = await (orm.em.getConnection() as unknown as { getNativeClient(): Promise<Pool> }).getNativeClient();
  const holder = await pool.connect();
  try {
    // Held on a separate connection until the end: a process that starts meanwhile waits here, then has nothing to do.
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const done = await orm.migrator.up();
    const applied = await applySqlFiles(holder, files);
    await holder.query('select make_month_partitions()');
    if (applicationRole !== undefined) await grantToApplication(holder, applicationRole);
    await holder.query('commit');
    return [...done.map((step) => step.name), ...applied];
  } finally {
    holder.release();
    await orm.close(true);
  }
}
