import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** State of the connections: the number of open ones, and of rejected or closed ones. */
interface FloodState {
  open: number;
  ended: number;
}

export interface Flood {
  state(): Promise<FloodState>;
  stop(): Promise<void>;
}

/**
 * Opens connections from a separate process and keeps them open. Resolves after all were attempted.
 * @param from loopback addresses to connect from, in rotation
 * @param sends bytes to write to each; none by default
 */
export async function startFlood(
  target: string,
  { count, from, sends }: { count: number; from?: readonly string[]; sends?: string },
): Promise<Flood> {
  const child = fork(join(import.meta.dirname, 'idle-connections.ts'), {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      TARGET: target,
      COUNT: String(count),
      ...(from === undefined ? {} : { FROM: from.join(',') }),
      ...(sends === undefined ? {} : { SENDS: sends }),
    },
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error('the flood ended before all connections were tried');
    }),
  ]);
  return {
    state: async () => {
      const report = once(child, 'message');
      child.send('state');
      return (await report)[0] as FloodState;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
