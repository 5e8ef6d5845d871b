import { execFile, spawn } from 'node:child_process';
import { access, constants, mkdir, rename, rm, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../platform/settings.ts';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquirePidLock, type PidLock } from './pid-lock.ts';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Release that is downloaded or built; the same as in `temporal-cli/go.mod`. */
const temporalCliVersion = '1.8.2';

/** Minimum release of the server in the command line (CLI 1.8 and later). */
const leastServer = [1, 31] as const;

interface FindTemporalCliOptions {
  settings: Pick<Settings, 'TEMPORAL_CLI_PATH'>;
  /** Environment of the process: PATH is searched, and XDG_CACHE_HOME sets the cache folder. */
  environment: NodeJS.ProcessEnv;
  onProgress: (sentence: string) => void;
  signal?: AbortSignal;
}

/**
 * Finds the Temporal command line, which contains the server, in this order: TEMPORAL_CLI_PATH, `temporal` on the PATH if it is recent
 * enough, our cache, a download, a build with Go (once, about five minutes).
 * @returns the path of the program
 * @throws Error with all these ways, and why each failed
 */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<string> {
  const { settings, environment, onProgress, signal } = options;
  if (settings.TEMPORAL_CLI_PATH) {
    const fault = await whyUnfit(settings.TEMPORAL_CLI_PATH);
    if (fault) throw new Error(`TEMPORAL_CLI_PATH=${settings.TEMPORAL_CLI_PATH} cannot be used: ${fault}.`);
    return settings.TEMPORAL_CLI_PATH;
  }
  const failures: string[] = [];
  for (const path of await namedTemporal(environment.PATH ?? '')) {
    const fault = await whyUnfit(path);
    if (!fault) return path;
    failures.push(`${path}: ${fault}`);
  }
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gangway');
  const cached = join(cache, `temporal-${temporalCliVersion}`);
  if (!(await whyUnfit(cached))) return cached;

  await mkdir(cache, { recursive: true });
  for (const obtain of [downloadTemporalCli, buildTemporalCli]) {
    try {
      await obtain({
        version: temporalCliVersion,
        target: cached,
        onProgress,
        signal,
        isThere: async () => !(await whyUnfit(cached)),
      });
      const fault = await whyUnfit(cached);
      if (!fault) return cached;
      failures.push(`${cached}: ${fault}`);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push((error as Error).message);
    }
  }
  throw new Error(noWayLeft(failures, cached));
}

async function namedTemporal(searchPath: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const path = join(folder, 'temporal');
    await access(path, constants.X_OK).then(
      () => found.push(path),
      () => undefined,
    );
  }
  return found;
}

/** Compares the release of the server, because a build from source reports 0.0.0-DEV as its own. */
async function whyUnfit(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    const [, major, minor] = /\(Server (\d+)\.(\d+)/.exec(stdout) ?? [];
    if (major === undefined) return `it does not say which server it holds ("${stdout.trim().slice(0, 80)}")`;
    const recent =
      Number(major) > leastServer[0] || (Number(major) === leastServer[0] && Number(minor) >= leastServer[1]);
    return recent
      ? undefined
      : `its server is ${major}.${minor}, at least ${leastServer.join('.')} is needed (command line 1.8 or later)`;
  } catch (error) {
    return `it cannot be run (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
  }
}

function noWayLeft(failures: readonly string[], cached: string): string {
  return [
    'The embedded Temporal server needs the Temporal command line, and it was not found. One of the following is required:',
    '- TEMPORAL_ADDRESS=host:7233, to use a running Temporal server;',
    '- TEMPORAL_CLI_PATH=/path/to/temporal, or a program `temporal` 1.8 or later on the PATH;',
    `- the program of release ${temporalCliVersion} put at ${cached};`,
    `- access to ${temporalReleases}, from where it is fetched;`,
    '- Go 1.26.4 or later on the PATH and access to its module proxy: it is then built once, in about five minutes.',
    'What was tried:',
    ...failures.map((failure) => `- ${failure}`),
  ].join('\n');
}

const moduleFolder = join(import.meta.dirname, 'temporal-cli');
const program = 'github.com/temporalio/cli/cmd/temporal';
const reportEveryMs = 5_000;
const lastLines = 15;

/**
 * Builds the Temporal command line with Go from the module in the folder temporal-cli. Concurrent starts build it once.
 * @throws Error if Go is missing or too old, or with the end of the build's output
 */
async function buildTemporalCli(options: ObtainOptions): Promise<void> {
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

const answersWithinMs = 3_000;
const completeWithinMs = 300_000;

/** Address of the releases of the command line, with their checksums. */
const temporalReleases = 'https://github.com/temporalio/cli/releases/download';

/**
 * Downloads the Temporal command line, and verifies its published SHA-256 before it is run. (The SDK's download verifies nothing, has no
 * timeout, reports no progress and does not return the path of the program.)
 * @param from folder of the releases; tests pass their own
 * @throws Error if the server does not respond within 3 s, or not with the program
 */
export async function downloadTemporalCli(
  { version, target, onProgress, signal }: ObtainOptions,
  from: string = temporalReleases,
): Promise<void> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `temporal_cli_${version}_${process.platform}_${arch}.tar.gz`;
  const address = `${from}/v${version}/${name}`;
  const folder = await mkdtemp(`${target}.`);
  try {
    const wanted = await publishedChecksum(`${from}/v${version}/checksums.txt`, name, signal);
    const archive = await opened(address, signal);
    onProgress(`Downloading the Temporal command line ${version} from its makers (once)`);
    const file = join(folder, 'archive');
    await writeFile(file, archive, { mode: 0o600 });
    const seen = hash('sha256', await readFile(file));
    if (seen !== wanted) throw new Error(`its SHA-256 is ${seen}, and not ${wanted} as published`);
    await promisify(execFile)('tar', ['-xz', '-C', folder, '-f', file, 'temporal']).catch(() => {
      throw new Error('the archive does not hold the program');
    });
    await rename(join(folder, 'temporal'), target);
  } catch (error) {
    throw new Error(`Download from ${address}: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Parses lines of `<hex>  <file>`, the format of sha256sum. */
async function publishedChecksum(address: string, name: string, signal: AbortSignal | undefined): Promise<string> {
  const lines = (await text(await opened(address, signal))).split('\n');
  const [checksum] =
    lines
      .map((line) => line.trim().split(/\s+/))
      .find(([hex, file]) => file === name && /^[0-9a-f]{64}$/.test(hex ?? '')) ?? [];
  if (checksum === undefined) throw new Error(`${address} does not name ${name}`);
  return checksum;
}

async function opened(address: string, signal: AbortSignal | undefined): Promise<Readable> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${answersWithinMs / 1000} s`)),
    answersWithinMs,
  );
  try {
    const answer = await fetch(address, {
      signal: AbortSignal.any([late.signal, AbortSignal.timeout(completeWithinMs), ...(signal ? [signal] : [])]),
    });
    if (!answer.ok || !answer.body) throw new Error(`answered with status ${answer.status}`);
    return Readable.fromWeb(answer.body as never);
  } finally {
    clearTimeout(timer);
  }
}

interface ObtainOptions {
  version: string;
  /** Path to which the complete program is moved atomically. */
  target: string;
  onProgress: (sentence: string) => void;
  signal?: AbortSignal;
  /** Whether another process has meanwhile stored it there. */
  isThere: () => Promise<boolean>;
}
