import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { isListening, reservePort } from './test-port.ts';
import { until } from './until.ts';

interface Program {
  path: string;
  /** Whether it supports prepared statements in transaction mode: 1.21 or later. */
  carriesStatements: boolean;
}

/** All PgBouncers of this machine: from PGBOUNCER, PATH, and Debian's package. */
export const pgBouncers: Program[] = [process.env['PGBOUNCER'] ?? 'pgbouncer', '/usr/sbin/pgbouncer'].flatMap(
  (path) => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
    return major === undefined ? [] : [{ path, carriesStatements: Number(major) > 1 || Number(minor) >= 21 }];
  },
);

/** PgBouncer does not run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Starts PgBouncer in transaction mode as a proxy for a server.
 * @param port to listen on; a free one by default
 */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  settings: Record<string, string | number> = {},
  port?: number,
): Promise<RunningProcess & { url: string }> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'gangway-pgbouncer-'));
  const listenPort = port ?? (await reservePort());
  const given = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    ...settings,
  };
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      ...Object.entries(given).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  await chmod(folder, 0o755);
  if (UNPRIVILEGED.uid !== undefined) await chown(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  const running = await startChild(program, [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...UNPRIVILEGED }, [
    { signal: 'SIGKILL', waitMs: 5_000 },
  ]);
  await until(() => isListening(listenPort));
  void running.whenExited.then(() => rm(folder, { recursive: true }));
  return { ...running, url: Object.assign(new URL(databaseUrl), { port: String(listenPort) }).href };
}
