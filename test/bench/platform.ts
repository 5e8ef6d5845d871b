import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort } from '../support/test-port.ts';

/** Addresses of a running `up`. */
export interface UpFile {
  http: string;
  support_site: string;
  temporal: string;
  database: string;
  operator_key_file: string;
  pid: number;
}

/** Connects as the owner: the contenders create tables, which the service's role may not. */
export async function ownersUrl(folder: string, database: string): Promise<string> {
  const url = new URL(database);
  url.username = 'gangway';
  url.password = (await readFile(join(folder, 'postgres-password'), 'utf8')).trim();
  return url.href;
}

/** Starts `up` on a folder; resolves when it is ready. */
export async function startUp(
  folder: string,
  settings: Record<string, string> = {},
): Promise<{ up: UpFile; child: ChildProcess; seconds: number }> {
  const started = performance.now();
  const upProcess = spawn(process.execPath, [join(import.meta.dirname, '../../src/processes/up.ts')], {
    env: {
      ...process.env,
      ...settings,
      NODE_ENV: 'production',
      DATA_DIR: folder,
      HTTP_PORT: '0',
      SUPPORT_SITE_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    const text = await readFile(join(folder, 'up.json'), 'utf8').catch(() => undefined);
    const found = text === undefined ? undefined : (JSON.parse(text) as UpFile);
    if (found?.pid === upProcess.pid) {
      return { up: found as UpFile, child: upProcess, seconds: (performance.now() - started) / 1_000 };
    }
    if (upProcess.exitCode !== null) throw new Error('up did not start');
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** The simulator of a network operator as a separate process, and the settings that make the service use it. */
export async function startOperator(): Promise<{ url: string; settings: Record<string, string>; child: ChildProcess }> {
  const url = `http://127.0.0.1:${await reservePort()}`;
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../src/processes/simulators.ts'), `ENEDIS_DATA_CONNECT_URL=${url}`],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  await new Promise((resolve) => {
    child.once('message', resolve);
  });
  return {
    url,
    child,
    settings: {
      ENEDIS_DATA_CONNECT_URL: url,
      ENEDIS_DATA_CONNECT_CLIENT_ID: 'bench',
      ENEDIS_DATA_CONNECT_CLIENT_SECRET: 'bench',
    },
  };
}
