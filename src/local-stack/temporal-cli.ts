import { execFile } from 'node:child_process';
import { access, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../platform/settings.ts';
import { buildTemporalCli } from './temporal-cli-build.ts';
import { downloadTemporalCli, temporalReleases } from './temporal-cli-download.ts';

/** Release that is downloaded or built; the same as in `temporal-cli/go.mod`. */
const temporalCliVersion = '1.8.2';

/** Minimum release of the server in the command line (CLI 1.8 and later). */
const leastServer = [1, 31] as const;

export interface FindTemporalCliOptions {
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
