import { spawn, type ChildProcess, type SpawnOptions, execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process that `up` manages: its child, or one that an earlier `up` left running. */
export interface RunningProcess {
  pid: number;
  /** Resolves to the exit code when the process has ended; null if a signal ended it or the code is unknown. */
  whenExited: Promise<number | null>;
  /** Sends the first signal, then the next ones if the process takes too long. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Signals that stop a process, in order, each with its timeout. */
export type EndingSteps = readonly { signal: NodeJS.Signals; waitMs: number }[];

const checkExitEveryMs = 250;

const processes = openProcessTable();

/** Processes to signal if this process exits without an orderly stop. */
const live = new Map<RunningProcess, NodeJS.Signals>();

/**
 * Starts a child in a separate process group, so that Ctrl-C in a terminal reaches only `up`, which stops the children in order.
 * @param ending steps of `stop`; `endAllNow` uses the second to last signal
 * @returns the child, once the system has started it
 * @throws the system error if the program cannot be started (ENOENT, EACCES, EPERM)
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
      resolve(Object.assign(handleOf(child.pid as number, { isLive, whenExited }, ending), { child }));
    });
  });
}

/**
 * Manages a process that is not a child of this one. Detects its end within a quarter of a second.
 * @param pid a running process
 * @param ending steps of `stop`
 * @param table the process table to use
 */
export function adoptProcess(pid: number, ending: EndingSteps, table: ProcessTable = processes): RunningProcess {
  const identity = table.identityOf(pid);
  const isLive = () => identity !== null && table.identityOf(pid) === identity;
  const exited = async (): Promise<null> => {
    while (isLive()) await sleep(checkExitEveryMs);
    return null;
  };
  return handleOf(pid, { isLive, whenExited: exited() }, ending);
}

function handleOf(
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

/** Sends every managed process its second to last signal immediately. Only for the exit of this process. */
export function endAllNow(): void {
  for (const [running, signal] of live) sendSignal(running.pid, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already ended.
  }
}

/** Identity of a running process (ProcessTable); null if it is not running. */
export const identityOf: ProcessTable['identityOf'] = (pid) => processes.identityOf(pid);

/**
 * Finds other running processes by their command line, including those of other users.
 * @param fits receives the arguments, separated and enclosed by spaces
 */
export function findProcesses(fits: (commandLine: string) => boolean, table: ProcessTable = processes): number[] {
  return table
    .commandLines()
    .filter(({ pid, commandLine }) => pid !== process.pid && fits(commandLine) && table.identityOf(pid) !== null)
    .map(({ pid }) => pid);
}

/** Stops processes that a killed start left running, found by a part of their command line. */
export async function endLeftOver(name: string, mark: string, ending: EndingSteps, log: Log): Promise<void> {
  for (const pid of findProcesses((line) => line.includes(mark))) {
    log.info({ childPid: pid }, `an earlier start left ${name} running on this data folder; it is ended`);
    await adoptProcess(pid, ending).stop();
  }
}

/** Processes of the system, including those of other users. */
interface ProcessTable {
  /**
   * Returns an identity that no other process has, including later ones with the same process id, as is usual after a container restart.
   * @returns null if there is no such process, or if it is a zombie
   */
  identityOf(pid: number): string | null;
  /** Returns each running process with its arguments, separated and enclosed by spaces. */
  commandLines(): { pid: number; commandLine: string }[];
}

/**
 * Reads /proc, or runs `ps` on systems without it, such as macOS.
 * @param folder the /proc folder
 */
export function openProcessTable(folder = '/proc'): ProcessTable {
  return existsSync(join(folder, 'self/stat')) ? tableOfFolder(folder) : tableOfPs;
}

function tableOfFolder(folder: string): ProcessTable {
  const read = (path: string) => readFileSync(join(folder, path), 'latin1');
  return {
    identityOf: (pid) => {
      try {
        const stat = read(`${pid}/stat`);
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (fields[0] === 'Z' || fields[0] === 'X') return null;
        return `${pid}/${fields[19]}/${read('sys/kernel/random/boot_id').trim()}`;
      } catch {
        return null;
      }
    },
    commandLines: () =>
      readdirSync(folder)
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => {
          try {
            const commandLine = readFileSync(join(folder, name, 'cmdline'), 'utf8')
              .split('\0')
              .join(' ');
            return [{ pid: Number(name), commandLine: ` ${commandLine} ` }];
          } catch {
            return [];
          }
        }),
  };
}

const tableOfPs: ProcessTable = {
  identityOf: (pid) => {
    const [state = '', ...startedAt] = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : `${pid}/${startedAt.join(' ')}`;
  },
  commandLines: () =>
    ps('-A', '-ww', '-o', 'pid=,command=')
      .split('\n')
      .flatMap((line) => {
        const [, pid, commandLine] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
        return pid === undefined ? [] : [{ pid: Number(pid), commandLine: ` ${commandLine} ` }];
      }),
};

/** @returns the output of `ps`; empty if there is no such process */
function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout === '') return '';
    throw error;
  }
}
