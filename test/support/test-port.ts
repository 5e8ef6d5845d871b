import { connect } from 'node:net';
import { chooseFreePort } from '../../src/local-stack/start-platform.ts';

/**
 * Below the ports that a system assigns automatically (32768 and up), so that no connection or other server of the run
 * uses one in the meantime.
 */
const FIRST = 12_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 20;

/** Incremented, so that a file that reserves several ports before it starts a server gets different ones. */
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** Reserves a free port for a server that a separate process is about to start. Concurrent test files never get the same port. */
export function reservePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS;
  next = (next + 1) % PORTS_PER_WORKER;
  return chooseFreePort(FIRST + worker * PORTS_PER_WORKER + next);
}
/** Whether a port of this machine accepts connections. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
