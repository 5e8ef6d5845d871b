// Ends the servers of a test run when its process is gone, however it ended; start-reaper.ts starts it. Standard
// input is connected to that process. Servers that it stopped are gone by then, and an id that another process uses
// meanwhile is skipped.
import { once } from 'node:events';
import { adoptProcess, type EndingSteps } from '../../src/local-stack/running-process.ts';
import { removeDataFolder } from './remove-data-folder.ts';

/** Immediately, as the data is not needed. */
const ENDING: EndingSteps = [
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

const [folder, ...pids] = process.argv.slice(2);
const servers = pids.map((pid) => adoptProcess(Number(pid), ENDING));
await once(process.stdin.resume(), 'end');
await Promise.all(servers.map((server) => server.stop()));
await removeDataFolder(folder!);
