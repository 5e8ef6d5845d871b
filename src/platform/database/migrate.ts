import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { readDatabaseUrl } from './connection-options.ts';
import { M001Baseline } from './migrations/m001-baseline.ts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

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

/** The role that the service runs as does not exist. The message says how to create it. */
export class ApplicationRoleMissing extends Error {
  override name = 'ApplicationRoleMissing';
}

/**
 * Grants the service's role only what it needs (docs/running/security.md): it reads and writes rows, owns nothing, and can neither change
 * nor delete audit entries and their chain. Repeated at each migration to include new tables.
 * @param client a connection of the owner of the tables
 * @throws ApplicationRoleMissing
 */
async function grantToApplication(client: PoolClient, role: string): Promise<void> {
  const {
    rows: [owner],
  } = await client.query<{ me: string; exists: boolean }>(
    'select current_user as me, exists (select from pg_roles where rolname = $1) as exists',
    [role],
  );
  // One role owns the tables and serves, so there is nothing to grant.
  if (owner?.me === role) return;
  const name = client.escapeIdentifier(role);
  if (!owner?.exists) {
    throw new ApplicationRoleMissing(
      `The role ${role} of DATABASE_URL does not exist. Create it first: CREATE ROLE ${name} LOGIN PASSWORD '...'`,
    );
  }
  await client.query(`
    grant usage on schema public to ${name};
    grant select, insert, update, delete on all tables in schema public to ${name};
    grant usage, select, update on all sequences in schema public to ${name};
    revoke update, delete on audit_entry, audit_block, audit_anchor from ${name};
    revoke insert, update, delete on wave_approval from ${name};
    grant insert (id, wave_id, purpose, requested_by, requested_by_id, request_reason, content_hash, members, rehearsal_job_id, planned, plan_revision),
      update (decided_by, decided_by_id, decided_at, decision, decision_reason) on wave_approval to ${name};
    revoke insert, update, delete on mikro_orm_migrations, applied_sql_file from ${name}`);
}

/** A file of SQL functions, next to the code that calls them. */
export interface SqlFile {
  /** Path below `src`, which identifies the file. */
  path: string;
  url: URL;
}

/**
 * Runs each file that has changed since it was last run. Files use `create or replace`, so that processes of the previous release always
 * find the function; a function with other parameters is a new function.
 * @param client a connection of the owner of the tables, in a transaction
 * @param files ordered so that a function comes after the functions that Postgres needs to validate it
 * @returns the paths of the files that were run
 */
async function applySqlFiles(client: PoolClient, files: readonly SqlFile[]): Promise<string[]> {
  const { rows } = await client.query<{ path: string; sha256: string }>('select path, sha256 from applied_sql_file');
  const applied = new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  const changed: string[] = [];
  for (const { path, url } of files) {
    const text = await readFile(url, 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    if (applied.get(path) === sha256) continue;
    await client.query(text);
    await client.query(
      `insert into applied_sql_file (path, sha256) values ($1, $2)
       on conflict (path) do update set sha256 = excluded.sha256, applied_at = now()`,
      [path, sha256],
    );
    changed.push(path);
  }
  return changed;
}
