import { createLog } from '../platform/log.ts';
import { simulatedParties } from '../vendors/simulators.ts';
import { readArguments } from '../platform/read-arguments.ts';
import { DATA_FOLDER, settingsOrExit } from './run-process.ts';

// Simulators of the parties given as arguments, each as SETTING=http://host:port. `up` runs this beside the API.
const parties = readArguments({
  usage: 'node src/processes/simulators.ts SETTING=http://host:port ...',
  help: `Simulates outside parties until SIGTERM. Settings: ${simulatedParties.map(({ address }) => address).join(', ')}`,
  options: [DATA_FOLDER],
  words: { least: 0, most: simulatedParties.length },
});
const settings = settingsOrExit();
const log = createLog({ level: settings.LOG_LEVEL, process: 'simulators' });
const running: { stop(): Promise<void> }[] = [];
for (const argument of parties) {
  const [address, url = ''] = argument.split(/=(.*)/s);
  const party = simulatedParties.find((one) => one.address === address);
  if (party === undefined || !URL.canParse(url)) continue;
  const { hostname, port } = new URL(url);
  running.push(await party.start({ host: hostname, port: Number(port), dataDir: settings.DATA_DIR }));
}
log.info({ parties: running.length }, 'simulators listen');
// Reports readiness to `up`; the channel closes when `up` ends.
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
