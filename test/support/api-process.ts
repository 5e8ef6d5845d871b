import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { send, until, type Service } from './harness.ts';

const API = join(import.meta.dirname, '../../src/processes/api.ts');

/** A real process of the interface on the same database and namespace; `settings` are added to its own. */
export async function startApi(service: Service, settings: Record<string, string> = {}): Promise<{ url: string; freeze(): void; thaw(): void; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [API], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'], HTTP_PORT: '0', DATABASE_URL: service.settings.DATABASE_URL,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'], TEMPORAL_NAMESPACE: service.settings.TEMPORAL_NAMESPACE, ...settings,
    },
  });
  const ended = new Promise<void>((resolve) => { child.once('exit', () => resolve()); });
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const logged = JSON.parse(line) as { url?: string };
      if (logged.url !== undefined) resolve(logged.url);
    });
  });
  await until(async () => (await send(url, 'GET', '/healthz/ready')).status === 200);
  return {
    url,
    freeze: () => { child.kill('SIGSTOP'); },
    thaw: () => { child.kill('SIGCONT'); },
    kill: async () => { child.kill('SIGKILL'); await ended; },
  };
}
