import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAllNow } from '../local-stack/running-process.ts';
import { startUp, type Platform } from '../local-stack/start-platform.ts';
import { listenForStop, untilStopped } from '../local-stack/stop-signals.ts';
import { createLog } from '../platform/log.ts';
import { readSettings } from '../platform/settings.ts';
import { simulatedParties } from '../vendors/simulators.ts';
import { runDemo } from '../demo/run-demo.ts';
import { readArguments } from '../platform/read-arguments.ts';

// `npm run demo`: starts the platform on fresh data and sends a sample through all steps. Keeps running unless `--exit` is given.
readArguments({
  usage: 'npm run demo [-- --exit]',
  help:
    'Starts gangway on fresh data, moves a sample through every step and stays up.\n  --exit  end when the sample is through\n' +
    'Settings are those of npm start; see npm start -- --help.',
  options: ['--exit'],
});
const stopping = listenForStop(() =>
  process.stdout.write('\nStopping, and removing the data; a second signal forces it.\n'),
);
process.on('exit', endAllNow);

const say = (line: string) => {
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
  say('The whole of gangway on fresh data');
  const settings = readSettings(environment);
  const log = createLog({ level: settings.LOG_LEVEL, process: 'demo' });
  platform = await startUp({ settings, log, dataDir, environment, signal: stopping, parties: simulatedParties });
  const operatorKey = (await readFile(platform.operatorKeyFile, 'utf8')).trim();
  const isColored = process.stdout.isTTY === true;
  // After a stop no further output is needed.
  await Promise.race([runDemo({ http: platform.http, operatorKey, say, isColored }), untilStopped(stopping)]);
  say(closing(platform));
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
    ...(temporalUi ? [`  Temporal web UI ${temporalUi}`, `  runs under way  ${openRuns}`] : []),
    `  operator key    in ${operatorKeyFile}`,
    '',
    process.argv.includes('--exit')
      ? 'The sample is through.'
      : 'The sample is through; everything stays up until Ctrl-C, then the data is removed.',
  ].join('\n');
}
