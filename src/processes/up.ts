import { DataFolderInUse, DataFolderUnusable } from '../local-stack/data-folder.ts';
import { endAllNow } from '../local-stack/running-process.ts';
import { startUp, type Platform } from '../local-stack/start-platform.ts';
import { listenForStop, untilStopped } from '../local-stack/stop-signals.ts';
import { createLog } from '../platform/log.ts';
import { readSettings, SettingsError } from '../platform/settings.ts';
import { readArguments } from '../platform/read-arguments.ts';
import { settingsHelp } from './settings-help.ts';

// `npm start`: all processes of gangway on this machine, until SIGTERM or SIGINT.
readArguments({
  usage: 'npm start',
  help: () => `Runs all processes of gangway on this machine until Ctrl-C. ${settingsHelp()}`,
});

const stopping = listenForStop(() =>
  process.stdout.write('gangway is stopping. A second signal stops it immediately.\n'),
);
// However this process ends, its children end with it.
process.on('exit', endAllNow);

try {
  const settings = readSettings();
  const log = createLog({ level: settings.LOG_LEVEL, process: 'up' });
  const platform = await startUp({
    settings,
    log,
    dataDir: settings.DATA_DIR,
    environment: process.env,
    signal: stopping,
  });
  process.stdout.write(summary(platform));
  await untilStopped(stopping);
  await platform.stop();
  process.exit(0);
} catch (error) {
  if (stopping.aborted) process.exit(0);
  const forPeople = [SettingsError, DataFolderInUse, DataFolderUnusable].some((kind) => error instanceof kind);
  process.stderr.write(
    forPeople
      ? `${(error as Error).message}\n`
      : `gangway could not start. ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
}

function summary({ http, supportSite, temporal, temporalUi, openRuns, operatorKeyFile, simulated }: Platform): string {
  return [
    '',
    'gangway is ready',
    `  API             ${http}`,
    `  support site    ${supportSite}   sign in with the operator key`,
    `  health          ${http}/healthz/ready`,
    `  Temporal        ${temporal}`,
    ...(temporalUi ? [`  Temporal web UI ${temporalUi}`, `  open runs       ${openRuns}`] : []),
    `  operator key    in ${operatorKeyFile}`,
    ...(simulated.length > 0
      ? [`  simulated       ${simulated.join(', ')} (to use the real ones, set their addresses: npm start -- --help)`]
      : []),
    'Press Ctrl-C to stop it.',
    '',
    '',
  ].join('\n');
}
