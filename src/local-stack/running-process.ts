import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that `up` looks after: its own child, or one that an earlier `up` left behind. */
export interface RunningProcess {
  pid: number;
  /** Settles when the process is gone: its exit code, or null when a signal ended it or the code is not known. */
  whenExited: Promise<number | null>;
  /** Ends the process: the polite signal first, the next ones when it takes too long. Returns when it is gone. */
  stop(): Promise<void>;
}

/** Signals to end a process with, in this order, and how long each is waited for. */
export type EndingSteps = readonly { signal: NodeJS.Signals; waitMs: number }[];

const looksForExitEveryMs = 250;

/** What is ended when this process exits without having stopped its children in order. */
const live = new Map<RunningProcess, NodeJS.Signals>();

/**
 * Starts a child in a process group of its own, so that Ctrl-C in a terminal reaches `up` alone and the children are
 * ended in order.
 * @param ending how `stop` ends it; the signal before the last one is used by `endAllNow`
 * @returns the child, once the system has started it
 * @throws the system's error when the program cannot be started (ENOENT, EACCES, EPERM)
 */
export function startChild(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  ending: EndingSteps,
): Promise<RunningProcess & { child: ChildProcess }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, detached: true });
    child.once('error', reject);
    child.once('spawn', () => {
      child.off('error', reject);
      child.on('error', () => undefined); // A signal or message that comes too late is no fault.
      const whenExited = new Promise<number | null>((exited) => child.once('exit', (code) => exited(code)));
      resolve(Object.assign(lookAfter(child.pid as number, whenExited, ending), { child }));
    });
  });
}

/**
 * Looks after a process that is not a child of this one. Its end is noticed within a quarter of a second.
 * @param pid a live process
 * @param ending how `stop` ends it
 */
export function adoptProcess(pid: number, ending: EndingSteps): RunningProcess {
  const identity = identityOf(pid);
  const gone = async (): Promise<null> => {
    while (identity !== null && identityOf(pid) === identity) await sleep(looksForExitEveryMs);
    return null;
  };
  return lookAfter(pid, gone(), ending);
}

function lookAfter(pid: number, whenExited: Promise<number | null>, ending: EndingSteps): RunningProcess {
  const identity = identityOf(pid);
  const stop = async (): Promise<void> => {
    for (const { signal, waitMs } of ending) {
      if (identity === null || identityOf(pid) !== identity) break;
      sendSignal(pid, signal);
      const timer = new AbortController();
      const late = sleep(waitMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
      const outcome = await Promise.race([whenExited, late]);
      timer.abort();
      if (outcome !== 'late') return;
    }
    await whenExited;
  };
  const running: RunningProcess = { pid, whenExited, stop };
  live.set(running, (ending.at(-2) ?? ending.at(-1))?.signal ?? 'SIGKILL');
  void whenExited.then(() => live.delete(running));
  return running;
}

/** Sends every process still looked after its last but one signal, at once. For the end of this process only. */
export function endAllNow(): void {
  for (const [running, signal] of live) sendSignal(running.pid, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already, which is what the signal was for.
  }
}

/**
 * Tells one process from every other, also from a later one that gets the same number (after a restart of a container
 * that is the rule rather than the exception).
 * @returns null when no such process lives; one that has ended but was not collected by its parent does not live
 */
export function identityOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${pid}/${fields[19]}/${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return null;
  }
}

/** Finds the live processes whose command line, split into arguments, fits. Those of other users are seen too. */
export function findProcesses(fits: (args: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid !== process.pid &&
          fits(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) &&
          identityOf(pid) !== null
        );
      } catch {
        return false;
      }
    });
}
