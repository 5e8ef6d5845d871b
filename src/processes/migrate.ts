import { isRejectedByPooler, isTransientError } from '../platform/database/faults.ts';
import { readDatabaseUrl } from '../platform/database/connection-options.ts';
import { ApplicationRoleMissing, migrate } from '../platform/database/migrate.ts';
import { setRoleSettings } from '../platform/database/session-settings.ts';
import { createLog } from '../platform/log.ts';
import { readProcessArguments, settingsOrExit } from './run-process.ts';
import { sqlFiles } from './sql-files.ts';

/** SQLSTATE invalid_password. */
const PASSWORD_REFUSED = '28P01';

readProcessArguments('Migrates the database to the current schema, then ends. Several can run concurrently.');
const settings = settingsOrExit('DATABASE_URL');
const log = createLog({ level: settings.LOG_LEVEL, process: 'migrate' });
const applicationRole = decodeURIComponent(new URL(readDatabaseUrl(settings.DATABASE_URL).url).username);
const migrateAll = async (): Promise<string[]> => {
  const done = await migrate(
    settings.MIGRATE_DATABASE_URL ?? settings.DATABASE_URL,
    sqlFiles,
    applicationRole || undefined,
  );
  // Not through a pooler, which would keep sessions without the settings.
  await setRoleSettings(settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL);
  return done;
};
const done = await migrateAll().catch((error: unknown) => {
  if (error instanceof ApplicationRoleMissing) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  if (!isTransientError(error)) throw error;
  const { code, message } = error as { code?: string; message?: string };
  const setting = settings.MIGRATE_DATABASE_URL === undefined ? 'DATABASE_URL' : 'MIGRATE_DATABASE_URL';
  process.stderr.write(
    code === PASSWORD_REFUSED
      ? `Postgres rejects our user and password of ${setting} (${code}). A database keeps the passwords that it was made with: with containers, deploy/secrets/ must be the one that ` +
          'the volume postgres-data was made with. Else set the new password in Postgres (ALTER ROLE ... PASSWORD), then start this again.\n'
      : isRejectedByPooler(error)
        ? `${setting} leads to a pooler, which migrations cannot use (${message}). Set MIGRATE_DATABASE_URL to the address of Postgres itself.\n`
        : `The database cannot be used (${code ?? message}). Check that Postgres is running and that ${setting} is correct, then start this again.\n`,
  );
  process.exit(1);
});
log.info({ migrations: done }, done.length === 0 ? 'the database is up to date' : 'the database was migrated');
