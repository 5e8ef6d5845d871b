// Ends servers of a run of tests once its process is gone, however that ended; start-reaper.ts starts it. The other end of standard
// input is that process. Servers that it has stopped itself are gone by then, and a number that is somebody else's meanwhile is left alone.
import { once } from 'node:events';
import { adoptProcess, type EndingSteps } from '../../src/local-stack/running-process.ts';
import { removeDataFolder } from './remove-data-folder.ts';

/** At once: nobody needs what they hold. */
const ENDING: EndingSteps = [
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

const [folder, ...pids] = process.argv.slice(2);
const servers = pids.map((pid) => adoptProcess(Number(pid), ENDING));
await once(process.stdin.resume(), 'end');
await Promise.all(servers.map((server) => server.stop()));
await removeDataFolder(folder!);
