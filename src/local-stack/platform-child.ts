import { execFile } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '../platform/log.ts';
import { endLeftOver, startChild, type EndingSteps, type RunningProcess } from './running-process.ts';

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
