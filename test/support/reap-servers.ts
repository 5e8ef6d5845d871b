// Ends the servers of a test run after its process has ended in any way. start-reaper.ts starts it; its standard input
// is connected to that process. Skips servers that were already stopped, and ids that another process has taken over.
import { once } from 'node:events';
import { adoptProcess, type EndingSteps } from '../../src/local-stack/running-process.ts';
import { removeDataFolder } from './remove-data-folder.ts';

/** Ends servers immediately, because their data is not needed. */
const ENDING: EndingSteps = [
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

const [folder, ...pids] = process.argv.slice(2);
const servers = pids.map((pid) => adoptProcess(Number(pid), ENDING));
await once(process.stdin.resume(), 'end');
await Promise.all(servers.map((server) => server.stop()));
await removeDataFolder(folder!);
