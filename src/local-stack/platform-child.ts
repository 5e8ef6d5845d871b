import { execFile } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '../platform/log.ts';
import { adoptProcess, findProcesses, startChild, type EndingSteps, type RunningProcess } from './running-process.ts';

/** Programs that `up` runs as children; tests replace them. */
export interface PlatformPrograms {
  migrate: string;
  apiWithWorker: string;
  supportSite: string;
  simulators: string;
  cli: string;
}

const source = join(import.meta.dirname, '..');
const extension = extname(import.meta.filename);

export const platformPrograms: PlatformPrograms = {
  migrate: join(source, 'processes', `migrate${extension}`),
  apiWithWorker: join(source, 'processes', `api-with-worker${extension}`),
  supportSite: join(source, 'processes', `support-site${extension}`),
  simulators: join(source, 'processes', `simulators${extension}`),
  cli: join(source, 'cli', `main${extension}`),
};

/** Argument by which the next `up` finds children of a killed one. The child ignores it. */
const belongsTo = (dataDir: string): string => `--data-folder=${dataDir}`;

function endingAfter(graceMs: number): EndingSteps {
  // The child forces its own stop 10 s after its grace time.
  return [
    { signal: 'SIGTERM', waitMs: graceMs + 12_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ];
}

export interface ApiChildOptions {
  program: string;
  /** Absolute path of its data folder. */
  dataDir: string;
  environment: NodeJS.ProcessEnv;
  graceMs: number;
}

/** Starts one of our servers: API and worker, or the support site. If this process dies, the channel to the child closes and the child stops ('disconnect'). */
export async function startApiChild({
  program,
  dataDir,
  environment,
  graceMs,
}: ApiChildOptions): Promise<RunningProcess> {
  return startChild(
    process.execPath,
    [program, belongsTo(dataDir)],
    { env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    endingAfter(graceMs),
  );
}

/**
 * Starts the simulators of outside parties. Resolves when they are listening.
 * @param addresses SETTING=http://host:port of each
 * @throws Error if the child ends before
 */
export async function startSimulatorsChild(
  options: Omit<ApiChildOptions, 'graceMs'> & { addresses: readonly string[] },
): Promise<RunningProcess> {
  const { program, dataDir, environment, addresses } = options;
  const child = await startChild(
    process.execPath,
    [program, belongsTo(dataDir), ...addresses],
    { env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    [
      { signal: 'SIGTERM', waitMs: 2_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ],
  );
  const ready = new Promise((resolve) => {
    child.child.once('message', resolve);
  });
  const exit = await Promise.race([ready, child.whenExited.then((code) => ({ code }))]);
  if (exit !== 'ready') throw new Error(`The simulators ended during their start; see their log above.`);
  return child;
}

/** Stops servers that a killed `up` left running, because they hold their ports. Requests in progress get two seconds. */
export async function endLeftApi(dataDir: string, log: Log): Promise<void> {
  for (const pid of findProcesses((line) => line.includes(` ${belongsTo(dataDir)} `))) {
    log.info({ childPid: pid }, 'an earlier start left a process running on this data folder; it is ended');
    await adoptProcess(pid, [
      { signal: 'SIGTERM', waitMs: 2_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]).stop();
  }
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
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  try {
    return (
      await promisify(execFile)(process.execPath, [program, ...args], {
        env: environment,
        signal,
        maxBuffer: 16 * 1024 * 1024,
      })
    ).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    const { stdout = '', stderr = '', code } = error as { stdout?: string; stderr?: string; code?: unknown };
    throw new Error(`${program} failed (${code}):\n${stderr || stdout}`.trim(), { cause: error });
  }
}
