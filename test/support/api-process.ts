import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { send, type Service } from './harness.ts';
import { until } from './until.ts';
import { childEnvironment } from './child-environment.ts';
import { programFile } from './program-file.ts';
import type { fixedValues } from '../../src/platform/settings/fixed-values.ts';

export interface ApiProcess {
  url: string;
  pid: number;
  /** Its log lines so far. */
  log: readonly string[];
  hasEnded(): boolean;
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
}

/**
 * Starts a real API process on the database and namespace of a service; `settings` are added to the usual ones.
 * @param openFilesMax its limit of file descriptors, which it cannot raise
 * @param fixed fixed values that differ; the process then runs from source
 */
export async function startApi(
  service: Service,
  settings: Record<string, string> = {},
  { openFilesMax, fixed }: { openFilesMax?: number; fixed?: Partial<typeof fixedValues> } = {},
): Promise<ApiProcess> {
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax} && `;
  const program =
    fixed === undefined ? await programFile('api') : join(import.meta.dirname, 'api-with-fixed-values.ts');
  // The shell becomes the process, so that its id is that of the API.
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$1"`, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...childEnvironment(),
      HTTP_PORT: '0',
      DATABASE_URL: service.settings.DATABASE_URL,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
      TEMPORAL_NAMESPACE: service.settings.TEMPORAL_NAMESPACE,
      ...(fixed === undefined ? {} : { TEST_FIXED_VALUES: JSON.stringify(fixed) }),
      ...settings,
    },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const log: string[] = [];
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line);
      const logged = JSON.parse(line) as { url?: string };
      if (logged.url !== undefined) resolve(logged.url);
    });
  });
  await until(async () => (await send(url, 'GET', '/healthz/ready')).status === 200);
  return {
    url,
    pid: child.pid as number,
    log,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    freeze: () => {
      child.kill('SIGSTOP');
    },
    thaw: () => {
      child.kill('SIGCONT');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
