import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What became of the connections of a flood: those that stand, and those that were refused or closed. */
interface FloodState {
  open: number;
  ended: number;
}

export interface Flood {
  state(): Promise<FloodState>;
  stop(): Promise<void>;
}

/**
 * Opens connections from a process of its own and keeps them; resolves when all were tried.
 * @param from the loopback addresses that they come from, in turn
 * @param sends what is written to each; nothing unless given
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
      throw new Error('the flood ended before it stood');
    }),
  ]);
  return {
    state: async () => {
      const told = once(child, 'message');
      child.send('state');
      return (await told)[0] as FloodState;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
