import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { roleSettingsSql } from '../../src/platform/database/session-settings.ts';

export interface TestDatabase {
  /** Its address, with the role of the owner. */
  url: string;
  /** Its address, with the role of the service. */
  applicationUrl: string;
  drop(): Promise<void>;
}

/** Reserves numbers as the service does for a new database; separate tests compare the two. Idempotent. */
export const RESERVE_NUMBERS =
  'update number_mark set account_until = 10000000, business_until = 1000000, incarnation = database_incarnation()';

/** Clones the migrated template into a separate database with reserved numbers; takes about 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const clone = await cloneTemplate();
  const client = new pg.Client(clone.url);
  await client.connect();
  try {
    await client.query(RESERVE_NUMBERS);
  } finally {
    await client.end();
  }
  return clone;
}

/** Clones the migrated template without reserved numbers: run RESERVE_NUMBERS on a connection to the clone. */
export async function cloneTemplate(): Promise<TestDatabase> {
  const [address, application] = [process.env['TEST_DATABASE_URL'], process.env['TEST_APPLICATION_DATABASE_URL']];
  if (!address || !application) {
    throw new Error(
      'No server was started for this test: only those outside the unit folders of jest.config.ts have one.',
    );
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Postgres copies through the log by default, which needs twice the processor time.
  await execute(address, `create database ${name} template gangway_template strategy file_copy`);
  await execute(address, roleSettingsSql(decodeURIComponent(new URL(application).username), name));
  const inClone = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return {
    url: inClone(address),
    applicationUrl: inClone(application),
    drop: () => execute(address, `drop database if exists ${name} with (force)`),
  };
}

/** Kept for all files of a Jest worker; it does not prevent the worker from ending. */
let admin: pg.Pool | undefined;

async function execute(address: string, text: string): Promise<void> {
  admin ??= new pg.Pool({ connectionString: address, max: 2, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // The server may end before this process does.
    .on('error', () => undefined);
  await admin.query(text);
}
