import { createLog } from '../platform/log.ts';
import { simulatedParties } from '../vendors/simulators.ts';
import { settingsOrExit } from './run-process.ts';

// The simulators of the parties named on the command line, each as SETTING=http://host:port; what `up` runs beside the API.
if (process.argv.includes('--help')) {
  process.stdout.write(
    `Usage: node src/processes/simulators.ts SETTING=http://host:port ...\n\nSimulates outside parties until SIGTERM. Settings: ${simulatedParties.map(({ address }) => address).join(', ')}\n`,
  );
  process.exit(0);
}
const settings = settingsOrExit();
const log = createLog({ level: settings.LOG_LEVEL, process: 'simulators' });
const running: { stop(): Promise<void> }[] = [];
for (const argument of process.argv.slice(2)) {
  const [address, url = ''] = argument.split(/=(.*)/s);
  const party = simulatedParties.find((one) => one.address === address);
  if (party === undefined || !URL.canParse(url)) continue;
  const { hostname, port } = new URL(url);
  running.push(await party.start({ host: hostname, port: Number(port), dataDir: settings.DATA_DIR }));
}
log.info({ parties: running.length }, 'simulators listen');
// The channel to `up` tells when it is ready, and closes with it.
process.send?.('ready');

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const simulator of running) await simulator.stop();
  process.exit(0);
}
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
process.on('disconnect', () => void stop());
