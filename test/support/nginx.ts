import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { isListening } from './test-port.ts';
import { until } from './until.ts';

/** The nginx of this machine, from PATH or Debian's package; undefined if there is none. */
export const nginx = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
  .map((folder) => join(folder, 'nginx'))
  .find((file) => existsSync(file));

const ENDING = [{ signal: 'SIGTERM', waitMs: 20_000 }] as const;
const PAGE = join(import.meta.dirname, '../../docs/running/processes.md');

/**
 * Starts nginx with the configuration that docs/running/processes.md documents.
 * @param folder for its configuration, its log and its temporary files
 * @param port that it listens on, on 127.0.0.1
 * @param servers ports of the two API processes
 */
export async function startNginx(
  folder: string,
  port: number,
  servers: readonly [number, number],
): Promise<RunningProcess> {
  const documented = /```nginx\n([^]*?)```/.exec(await readFile(PAGE, 'utf8'))![1]!;
  const ports = servers.values();
  const block = documented
    .replaceAll(/10\.0\.0\.1[12]:8080/g, () => `127.0.0.1:${ports.next().value}`)
    .replace('listen 8000;', `listen 127.0.0.1:${port};`);
  if (ports.next().done !== true) throw new Error(`${PAGE} names another number of API processes`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events {} http { access_log off; ${temporary.join(' ')} ${block} }`,
  );
  const running = await startChild(
    nginx!,
    ['-e', `${folder}/nginx.log`, '-p', folder, '-c', file],
    { stdio: 'ignore' },
    ENDING,
  );
  await until(() => isListening(port));
  return running;
}
