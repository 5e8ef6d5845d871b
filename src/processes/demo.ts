import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAllNow } from '../local-stack/running-process.ts';
import { startUp, type Platform } from '../local-stack/start-platform.ts';
import { listenForStop, untilStopped } from '../local-stack/stop-signals.ts';
import { createLog } from '../platform/log.ts';
import { readSettings } from '../platform/settings.ts';
import { runDemo } from '../demo/run-demo.ts';
import { readArguments } from '../platform/read-arguments.ts';

// `npm run demo`: starts gangway on fresh data and makes the sample calls. Keeps running unless `--exit` is given.
readArguments({
  usage: 'npm run demo [-- --exit]',
  help:
    'Starts gangway on fresh data, runs sample calls through every step of a migration, and keeps running.\n' +
    '  --exit  stop after the sample calls\n' +
    'Uses the settings of npm start; see npm start -- --help.',
  options: ['--exit'],
});
const stopping = listenForStop(() =>
  process.stdout.write('\nStopping and deleting the data. A second signal stops immediately.\n'),
);
process.on('exit', endAllNow);

const print = (line: string) => {
  if (!stopping.aborted) process.stdout.write(`${line}\n`);
};
// Log lines would hide the output of the sample, which contains deliberate errors. LOG_LEVEL overrides this.
const environment = { LOG_LEVEL: 'error', ...process.env };
const dataDir = await mkdtemp(join(tmpdir(), 'gangway-demo-'));
// If this process runs as root, Postgres runs as another user that must be able to enter.
await chmod(dataDir, 0o755);

let exitCode = 0;
let platform: Platform | undefined;
try {
  print('Starting gangway on fresh data');
  const settings = readSettings(environment);
  const log = createLog({ level: settings.LOG_LEVEL, process: 'demo' });
  platform = await startUp({ settings, log, dataDir, environment, signal: stopping });
  const operatorKey = (await readFile(platform.operatorKeyFile, 'utf8')).trim();
  const isColored = process.stdout.isTTY === true && process.stdout.hasColors();
  // A stop ends the output immediately.
  await Promise.race([runDemo({ http: platform.http, operatorKey, print, isColored }), untilStopped(stopping)]);
  print(closing(platform));
  if (!process.argv.includes('--exit')) await untilStopped(stopping);
} catch (error) {
  if (!stopping.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    exitCode = 1;
  }
}
await platform?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(exitCode);

function closing({ http, supportSite, temporalUi, openRuns, operatorKeyFile }: Platform): string {
  return [
    '',
    `  API             ${http}`,
    `  support site    ${supportSite}   sign in with the operator key`,
    ...(temporalUi ? [`  Temporal web UI ${temporalUi}`, `  open runs       ${openRuns}`] : []),
    `  operator key    in ${operatorKeyFile}`,
    '',
    process.argv.includes('--exit')
      ? 'The sample calls are complete.'
      : 'The sample calls are complete. gangway keeps running until Ctrl-C, which also deletes the data.',
  ].join('\n');
}
