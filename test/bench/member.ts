import type { RunningProcess } from '../../src/local-stack/running-process.ts';

/** A process of an installation, which can be ended and started again under the same address. */
export interface Member {
  name: string;
  pid(): number;
  whenExited(): Promise<unknown>;
  /** Sends a signal that ends the process, and starts it again; resolves when it is ready. */
  restart(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a member.
 * @param start starts the process with the same address each time; resolves when it is ready
 */
export async function startMember(name: string, start: () => Promise<RunningProcess>): Promise<Member> {
  let running = await start();
  return {
    name,
    pid: () => running.pid,
    whenExited: () => running.whenExited,
    restart: async (signal) => {
      process.kill(running.pid, signal);
      await running.whenExited;
      running = await start();
    },
    stop: () => running.stop(),
  };
}
