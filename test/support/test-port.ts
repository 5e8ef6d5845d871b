import { chooseFreePort } from '../../src/local-stack/free-port.ts';

/** Below the ports that a system hands out by itself (32768 and up), so that no connection and no other server of the run takes one in the meantime. */
const FIRST = 12_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 20;

/** Counted on, so that one file, which reserves several before it starts anything, does not get the same twice. */
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** A free port for a server that is started in a moment, in a process of its own. Test files that run side by side never get the same. */
export function reservePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS;
  next = (next + 1) % PORTS_PER_WORKER;
  return chooseFreePort(FIRST + worker * PORTS_PER_WORKER + next);
}
