import { migrate } from '../platform/database/migrate.ts';
import { createLog } from '../platform/log.ts';
import { readSettings } from '../platform/settings.ts';

// Brings the database to the newest schema, then ends. Safe when several start at once.
const settings = readSettings();
const log = createLog({ level: settings.LOG_LEVEL, process: 'migrate' });
if (!settings.DATABASE_URL) {
  log.fatal('Setting DATABASE_URL is missing: name the Postgres database to migrate.');
  process.exit(1);
}
const done = await migrate(settings.DATABASE_URL);
log.info({ migrations: done }, done.length === 0 ? 'the database is up to date' : 'the database was migrated');
