import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { embeddedApplicationRole, startEmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { setRoleSettings } from '../../src/platform/database/session-settings.ts';
import { createLog } from '../../src/platform/log.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/**
 * Puts the files of a Postgres cluster with all tables into a data folder, where `startEmbeddedPostgres` finds them.
 * The first caller of a test run creates them; the others copy them, which takes a tenth of the time.
 */
export async function putCluster(dataDir: string): Promise<void> {
  const ofRun = process.env['TEST_FOLDER'];
  if (ofRun === undefined) return makeCluster(dataDir);
  const template = join(ofRun, 'cluster');
  const made = join(template, 'made');
  const isFirst = await mkdir(template, { mode: 0o755 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  if (isFirst) {
    await makeCluster(template);
    await writeFile(made, '');
  }
  await until(() => existsSync(made));
  // With the owner of the files, who may differ from the user of the tests.
  await run('cp', ['-a', `${template}/.`, dataDir]);
}

async function makeCluster(dataDir: string): Promise<void> {
  const log = createLog({ level: 'silent', process: 'test' });
  const postgres = await startEmbeddedPostgres({ dataDir, port: await reservePort(), log, fsync: false });
  try {
    await migrate(postgres.url, sqlFiles, embeddedApplicationRole);
    await setRoleSettings(postgres.applicationUrl);
  } finally {
    await postgres.stop();
  }
}
