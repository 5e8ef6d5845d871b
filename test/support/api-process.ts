import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { send, type Service } from './harness.ts';
import { until } from './until.ts';
import { childEnvironment } from './child-environment.ts';
import { processWith } from './program-file.ts';

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
 * Starts a real API process on the database and namespace of a service; `settings` are added to the usual ones, and may
 * change fixed values.
 * @param openFilesMax its limit of file descriptors, which it cannot raise
 */
export async function startApi(
  service: Service,
  settings: Record<string, string> = {},
  { openFilesMax }: { openFilesMax?: number } = {},
): Promise<ApiProcess> {
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax} && `;
  const { file, environment } = await processWith('api', settings);
  // The shell becomes the process, so that its id is that of the API.
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$1"`, process.execPath, file], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...childEnvironment(),
      HTTP_PORT: '0',
      DATABASE_URL: service.settings.DATABASE_URL,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
      TEMPORAL_NAMESPACE: service.settings.TEMPORAL_NAMESPACE,
      ...environment,
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
