import { chooseFreePort } from '../../src/local-stack/free-port.ts';

/**
 * Below the ports that a system assigns itself (32768 and up), so that no connection and no other server of the run
 * uses one in the meantime.
 */
const FIRST = 12_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 20;

/** Incremented, so that one file, which reserves several before it starts a server, does not get the same twice. */
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** A free port for a server that is about to start as a separate process. Concurrent test files never get the same. */
export function reservePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS;
  next = (next + 1) % PORTS_PER_WORKER;
  return chooseFreePort(FIRST + worker * PORTS_PER_WORKER + next);
}
