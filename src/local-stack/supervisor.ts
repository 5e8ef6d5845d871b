import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { type RunningProcess, endLeftOver, startChild, type EndingSteps } from './running-process.ts';
import { execFile } from 'node:child_process';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { open, readFile, type FileHandle } from 'node:fs/promises';

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Uptime after which a child counts as healthy and its next restart begins with the shortest pause. */
const countsAsWellMs = 30_000;

interface Supervised<Child extends RunningProcess> {
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

/** The file of a program that `up` runs, such as `processes/migrate`. */
const programFile = (name: string) => join(import.meta.dirname, '..', `${name}${extname(import.meta.filename)}`);

/** Argument by which the next `up` finds children of a killed one. The child ignores it. */
const belongsTo = (dataDir: string): string => `--data-folder=${dataDir}`;

/** Requests in progress at a server that a killed `up` left running get two seconds. */
const endingLeftOver: EndingSteps = [
  { signal: 'SIGTERM', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * Starts one of our servers. If this process dies, the channel to the child closes and the child stops ('disconnect').
 * @param dataDir absolute path of its data folder
 */
export async function startServerChild(
  name: string,
  dataDir: string,
  environment: NodeJS.ProcessEnv,
  graceMs: number,
): Promise<RunningProcess> {
  return startChild(
    process.execPath,
    [programFile(`processes/${name}`), belongsTo(dataDir)],
    { env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    // The child forces its own stop 10 s after its grace time.
    [
      { signal: 'SIGTERM', waitMs: graceMs + 12_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ],
  );
}

/** Stops servers that a killed `up` left running, because they hold their ports. */
export function endLeftServers(dataDir: string, log: Log): Promise<void> {
  return endLeftOver('a process', ` ${belongsTo(dataDir)} `, endingLeftOver, log);
}

/**
 * Waits until an address returns 200.
 * @param whenExited settles when its process has ended
 * @throws Error with the last response if that process ends or the wait times out
 */
export async function waitUntilReady(
  address: string,
  options: { name: string; whenExited: Promise<unknown>; withinMs: number; signal?: AbortSignal },
): Promise<void> {
  const { name, whenExited, withinMs, signal } = options;
  let exited = false;
  void whenExited.then(() => (exited = true));
  let lastAnswer = 'no answer';
  for (const until = Date.now() + withinMs; Date.now() < until; await sleep(100, undefined, { signal })) {
    if (exited) throw new Error(`The ${name} ended during its start; see its log above.`);
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) });
      lastAnswer = `${answer.status} ${(await answer.text()).slice(0, 500)}`;
      if (answer.status === 200) return;
    } catch (error) {
      lastAnswer = String((error as Error).cause ?? error);
    }
  }
  throw new Error(`The ${name} did not become ready within ${withinMs / 1000} s; ${address} said: ${lastAnswer}`);
}

/**
 * Runs one of our programs to completion.
 * @returns its standard output
 * @throws Error with its output if it fails
 */
export async function runToEnd(
  name: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const program = programFile(name);
  try {
    const options = { env: environment, signal, maxBuffer: 16 * 1024 * 1024 };
    return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { stdout = '', stderr = '', code } = error as { stdout?: string; stderr?: string; code?: unknown };
    throw new Error(`${program} failed (${code}):\n${stderr || stdout}`.trim(), { cause: error });
  }
}

const keptBytes = 10 * 1024 * 1024;
const lastWordsMax = 4_000;

interface ChildLog {
  /** Passed to the child, then closed. */
  handle: FileHandle;
  /** Reads the output since the file was opened, at most the last 4,000 characters. */
  lastWords(): Promise<string>;
}

/**
 * Opens the log file of a child for appending, and truncates a file over 10 MB. It is a file and not a pipe because the child may
 * outlive this process, and writing to a closed pipe would end it.
 */
export async function openLog(path: string): Promise<ChildLog> {
  const handle = await open(path, 'a', 0o600);
  if ((await handle.stat()).size > keptBytes) await handle.truncate();
  const beginning = (await handle.stat()).size;
  const lastWords = async () => (await readFile(path)).subarray(beginning).toString('utf8').slice(-lastWordsMax).trim();
  return { handle, lastWords };
}
