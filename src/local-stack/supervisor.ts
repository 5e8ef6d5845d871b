import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { RunningProcess } from './running-process.ts';

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Uptime after which a child counts as healthy and its next restart begins with the shortest pause. */
const countsAsWellMs = 30_000;

export interface Supervised<Child extends RunningProcess> {
  /** The latest child; during a restart still the dead one. */
  current(): Child;
  /** Stops the child without a restart. */
  stop(): Promise<void>;
}

/**
 * Restarts a child whenever it dies, after a pause that grows to 10 s. Retries without limit, because the cause (a full disk, a port in
 * use) may be temporary; each death is logged.
 * @param options `start` starts the child and is also called for restarts, so it must always use the same port; it may give up when
 * `stopping` is aborted
 * @throws errors of the first start; errors of later starts are logged and retried
 */
export async function supervise<Child extends RunningProcess>(options: {
  name: string;
  log: Log;
  start: (stopping: AbortSignal) => Promise<Child>;
}): Promise<Supervised<Child>> {
  const { name, log, start } = options;
  const stopping = new AbortController();
  let child = await start(stopping.signal);

  const startAgain = async (pauseMs: number): Promise<void> => {
    for (let pause = pauseMs; ; pause = longer(pause)) {
      await sleep(pause, undefined, { signal: stopping.signal });
      try {
        child = await start(stopping.signal);
        log.info({ child: name, childPid: child.pid }, `${name} runs again`);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ child: name, err: error, nextTryMs: longer(pause) }, `${name} could not be started again`);
      }
    }
  };

  const watch = async (): Promise<void> => {
    for (let pause = firstPauseMs; ;) {
      const startedAt = Date.now();
      const exitCode = await child.whenExited;
      if (stopping.signal.aborted) return;
      pause = Date.now() - startedAt > countsAsWellMs ? firstPauseMs : pause;
      log.error(
        { child: name, childPid: child.pid, exitCode, restartInMs: pause },
        `${name} died; it is started again`,
      );
      await startAgain(pause);
      if (stopping.signal.aborted) return;
      pause = longer(pause);
    }
  };
  const watching = watch().catch(() => undefined); // Only the pause rejects, if `stop` interrupts it.

  const stop = async (): Promise<void> => {
    stopping.abort();
    await child.stop();
    // A restart in progress completes first; its child is then stopped too.
    await watching;
    await child.stop();
  };
  return { current: () => child, stop };
}

function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, longestPauseMs);
}
