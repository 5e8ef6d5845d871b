import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { RunningProcess } from './running-process.ts';

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A child that lived this long was well: its next death starts again with the shortest pause. */
const countsAsWellMs = 30_000;

export interface Supervised<Child extends RunningProcess> {
  /** The child that was started last; while it is being replaced this is still the dead one. */
  current(): Child;
  /** Ends the child for good. */
  stop(): Promise<void>;
}

/**
 * Keeps a child alive: when it dies it is started again, after a pause that grows to 10 s while it keeps dying. It is
 * never given up, because what kills it (a full disk, a port in use) may pass; each death is logged.
 * @param options `start` starts the child; it is called again for each restart, so it must ask for the same port each time,
 *   and may give up when `stopping` is aborted
 * @throws what the first start throws; failures of later starts are logged and tried again
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
  const watching = watch().catch(() => undefined); // Only the pause throws, when it is cut short by `stop`.

  const stop = async (): Promise<void> => {
    stopping.abort();
    await child.stop();
    // A restart under way ends first; the child that it may have made is ended too.
    await watching;
    await child.stop();
  };
  return { current: () => child, stop };
}

function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, longestPauseMs);
}
