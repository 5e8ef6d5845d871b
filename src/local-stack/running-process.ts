import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProcessTable, type ProcessTable } from './process-table.ts';

/** A process that `up` manages: its child, or one that an earlier `up` left behind. */
export interface RunningProcess {
  pid: number;
  /** Resolves when the process has ended: its exit code, or null if a signal ended it or the code is unknown. */
  whenExited: Promise<number | null>;
  /** Stops the process with the first signal, and with the next ones if it takes too long. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Signals that stop a process, in this order, and the timeout of each. */
export type EndingSteps = readonly { signal: NodeJS.Signals; waitMs: number }[];

const looksForExitEveryMs = 250;

const processes = openProcessTable();

/** Processes that are stopped if this process exits without an orderly stop of its children. */
const live = new Map<RunningProcess, NodeJS.Signals>();

/**
 * Starts a child in a separate process group, so that Ctrl-C in a terminal reaches only `up`, which stops the children in order.
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
      child.on('error', () => undefined); // A signal or message may arrive too late.
      const whenExited = new Promise<number | null>((exited) => child.once('exit', (code) => exited(code)));
      // The process id of a child is not reused before its exit is reported here.
      const isLive = () => child.exitCode === null && child.signalCode === null;
      resolve(Object.assign(lookAfter(child.pid as number, { isLive, whenExited }, ending), { child }));
    });
  });
}

/**
 * Manages a process that is not a child of this one. Its end is noticed within a quarter of a second.
 * @param pid a running process
 * @param ending how `stop` ends it
 * @param table where it is looked up
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

/** Sends every managed process its last but one signal immediately. For the end of this process only. */
export function endAllNow(): void {
  for (const [running, signal] of live) sendSignal(running.pid, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** The identity of a running process (ProcessTable); null if it does not run. */
export const identityOf: ProcessTable['identityOf'] = (pid) => processes.identityOf(pid);

/**
 * Finds other running processes whose command line fits, including those of other users.
 * @param fits receives the arguments, separated and enclosed by spaces
 */
export function findProcesses(fits: (commandLine: string) => boolean, table: ProcessTable = processes): number[] {
  return table
    .commandLines()
    .filter(({ pid, commandLine }) => pid !== process.pid && fits(commandLine) && table.identityOf(pid) !== null)
    .map(({ pid }) => pid);
}
