import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProcessTable, type ProcessTable } from './process-table.ts';

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

const processes = openProcessTable();

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
      // The number of a child is nobody else's before its end was told here.
      const isLive = () => child.exitCode === null && child.signalCode === null;
      resolve(Object.assign(lookAfter(child.pid as number, { isLive, whenExited }, ending), { child }));
    });
  });
}

/**
 * Looks after a process that is not a child of this one. Its end is noticed within a quarter of a second.
 * @param pid a live process
 * @param ending how `stop` ends it
 * @param table where its life is looked for
 */
export function adoptProcess(pid: number, ending: EndingSteps, table: ProcessTable = processes): RunningProcess {
  const identity = table.identityOf(pid);
  const isLive = () => identity !== null && table.identityOf(pid) === identity;
  const gone = async (): Promise<null> => {
    while (isLive()) await sleep(looksForExitEveryMs);
    return null;
  };
  return lookAfter(pid, { isLive, whenExited: gone() }, ending);
}

function lookAfter(
  pid: number,
  { isLive, whenExited }: { isLive: () => boolean; whenExited: Promise<number | null> },
  ending: EndingSteps,
): RunningProcess {
  const stop = async (): Promise<void> => {
    for (const { signal, waitMs } of ending) {
      if (!isLive()) break;
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

/** The identity of a live process, as ProcessTable says; null when it does not live. */
export const identityOf: ProcessTable['identityOf'] = (pid) => processes.identityOf(pid);

/**
 * Finds the live processes whose command line fits, but not this one. Those of other users are seen too.
 * @param fits is given the arguments with a blank before, between and after them
 */
export function findProcesses(fits: (commandLine: string) => boolean, table: ProcessTable = processes): number[] {
  return table
    .commandLines()
    .filter(({ pid, commandLine }) => pid !== process.pid && fits(commandLine) && table.identityOf(pid) !== null)
    .map(({ pid }) => pid);
}
