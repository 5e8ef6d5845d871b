import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { embeddedApplicationRole, startEmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { makeDataFolder } from './data-folder.ts';
import { startReaper } from './start-reaper.ts';
import { temporalMemory, temporalSettings } from './temporal-settings.ts';
import { reservePort } from './test-port.ts';
import { findTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import type { RunningProcess } from '../../src/local-stack/running-process.ts';

/** Attempts to start on a free port: another process may take it first. */
const PORT_TRIES = 3;
const BUNDLER = join(import.meta.dirname, '../../src/processes/bundle-workflows.ts');
const makeBundle = promisify(execFile);

declare global {
  var testServers: RunningProcess[] | undefined;
}

/**
 * Starts a real Postgres and a real Temporal server for the whole run, and migrates a template database once; each
 * test file clones it (harness.ts).
 */
export default async function startServers(): Promise<void> {
  const log = createLog({ level: 'silent', process: 'tests' });
  const folder = await makeDataFolder('gangway-tests-');
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    port: await reservePort(),
    log,
    fsync: false,
    databases: ['gangway_template'],
  });
  globalThis.testServers = [postgres];
  startReaper(folder, [postgres.pid]);
  await migrate(postgres.urlOf('gangway_template'), sqlFiles, embeddedApplicationRole);
  const cliPath = await findTemporalCli({
    settings: readSettings(),
    environment: process.env,
    onProgress: (sentence) => {
      process.stderr.write(`${sentence}\n`);
    },
  });
  // Tests start further servers, which inherit these settings.
  Object.assign(process.env, temporalMemory);
  const bundle = join(folder, 'workflow-bundle.js');
  const [temporal] = await Promise.all([
    startTemporal(cliPath, folder, log),
    makeBundle(process.execPath, [BUNDLER, bundle]).then(() => emptySourceMap(bundle)),
  ]);
  globalThis.testServers.push(temporal);
  startReaper(folder, [temporal.pid]);
  process.env['TEST_DATABASE_URL'] = postgres.urlOf('postgres');
  process.env['TEST_APPLICATION_DATABASE_URL'] = postgres.applicationUrlOf('postgres');
  process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address;
  process.env['TEST_TEMPORAL_UI'] = temporal.uiUrl;
  process.env['TEST_TEMPORAL_CLI'] = cliPath;
  process.env['TEST_FOLDER'] = folder;
  process.env['TEST_WORKFLOW_BUNDLE'] = bundle;
  process.env['TEST_COMPILE_CACHE'] = join(folder, 'compiled');
  // Workers in a test process run workflows on the main thread, because a thread for each worker needs 0.3 s of
  // processor time to start. Processes that tests start use threads (child-environment.ts).
  process.env['TEMPORAL_DEBUG'] = '1';
}

/** Empties the source map of the workflow code: each worker would parse it, which takes longer than parsing the code. */
async function emptySourceMap(bundle: string): Promise<void> {
  const code = await readFile(bundle, 'utf8');
  const map = Buffer.from(JSON.stringify({ version: 3, file: bundle, sources: [], names: [], mappings: '' }));
  const ending = `//# sourceMappingURL=data:application/json;base64,${map.toString('base64')}\n`;
  await writeFile(bundle, code.slice(0, code.lastIndexOf('//# sourceMappingURL=')) + ending);
}

async function startTemporal(
  cliPath: string,
  dataDir: string,
  log: Log,
  triesLeft = PORT_TRIES,
): Promise<EmbeddedTemporal> {
  try {
    return await startEmbeddedTemporal({
      cliPath,
      dataDir,
      port: await reservePort(),
      uiPort: await reservePort(),
      namespace: 'default',
      dynamicConfig: temporalSettings,
      log,
    });
  } catch (error) {
    if (triesLeft <= 1 || !String(error).includes('address already in use')) throw error;
    return startTemporal(cliPath, dataDir, log, triesLeft - 1);
  }
}
