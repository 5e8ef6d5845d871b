import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquirePidLock, type PidLock } from './pid-lock.ts';
import type { ObtainOptions } from './temporal-cli-download.ts';

const moduleFolder = join(import.meta.dirname, 'temporal-cli');
const program = 'github.com/temporalio/cli/cmd/temporal';
const reportEveryMs = 5_000;
const lastLines = 15;

/**
 * Builds the Temporal command line with Go from the module in the folder temporal-cli. Concurrent starts build it once.
 * @throws Error if Go is missing or too old, or with the end of the build's output
 */
export async function buildTemporalCli(options: ObtainOptions): Promise<void> {
  const { target, onProgress, signal } = options;
  const lock = await acquireLock(options);
  const unfinished = `${target}.${process.pid}.build`;
  try {
    if (await options.isThere()) return;
    onProgress('Building the Temporal command line with Go; this takes about five minutes once');
    await build(unfinished, options);
    await rename(unfinished, target);
    onProgress(`The Temporal command line is built and kept at ${target}`);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`Build with Go: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(unfinished, { force: true });
    await lock.release();
  }
}

async function acquireLock({ target, onProgress, signal }: ObtainOptions): Promise<PidLock> {
  for (let isReported = false; ; isReported = true) {
    const lock = await acquirePidLock(`${target}.building`);
    if (!('ownerPid' in lock)) return lock;
    if (!isReported) onProgress(`Waiting for process ${lock.ownerPid}, which is building the Temporal command line`);
    await sleep(1_000, undefined, { signal });
  }
}

async function build(output: string, { onProgress, signal }: ObtainOptions): Promise<void> {
  const began = Date.now();
  const timer = setInterval(
    () =>
      onProgress(
        `Building the Temporal command line: ${Math.round((Date.now() - began) / 1000)} s of about five minutes`,
      ),
    reportEveryMs,
  );
  const messages: string[] = [];
  try {
    // With `-mod=readonly` the committed go.sum determines the versions.
    const build = spawn('go', ['build', '-mod=readonly', '-ldflags=-s -w', '-o', output, program], {
      cwd: moduleFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    for (const stream of [build.stdout, build.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => messages.push(text));
    }
    const [exitCode] = await once(build, 'close');
    if (exitCode !== 0) throw new Error(messages.join('').trim().split('\n').slice(-lastLines).join('\n'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Error('the program `go` is not on the PATH', { cause: error });
    }
    throw error;
  } finally {
    clearInterval(timer);
  }
}
