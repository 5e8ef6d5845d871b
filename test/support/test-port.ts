import { chooseFreePort } from '../../src/platform/embedded/free-port.ts';

/** Below the ports that a system hands out by itself (32768 and up), so that no connection and no other server of the run takes one in the meantime. */
const FIRST = 12_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 20;

/** A free port for a server that is started in a moment, in a process of its own. Test files that run side by side never get the same. */
export function reservePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS;
  return chooseFreePort(FIRST + worker * PORTS_PER_WORKER + Math.floor(Math.random() * PORTS_PER_WORKER));
}
