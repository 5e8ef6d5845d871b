import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadTool } from './load.ts';
import { processes, processorSeconds } from './measure.ts';
import { withClient } from './stage-set.ts';

/** What a run was made on. */
export interface Surroundings {
  at: string;
  commit: string;
  machine: string;
  versions: string;
}

/** The machine and the versions of what is measured and of the tools. */
export async function describeSurroundings(database: string): Promise<Surroundings> {
  const postgres = await withClient(
    database,
    async (client) => (await client.query<{ server_version: string }>('show server_version')).rows[0]!.server_version,
  );
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return {
    at: new Date().toISOString(),
    commit: commit(),
    machine: `${availableParallelism()} x ${processor?.model.trim() ?? 'unknown processor'}, ${gigabytes} GB, Linux ${release()}`,
    versions: `node ${process.version}, Postgres ${postgres}, Temporal ${versionOf('@temporalio/worker')} (SDK), Koa ${versionOf('koa')}, Ajv ${versionOf('ajv')}, ${loadTool}`,
  };
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
}

function versionOf(name: string): string {
  const file = join(import.meta.dirname, '../../node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Share of the machine that other processes used since `begin` was read, in percent. */
export interface Disturbance {
  /** Processes that the bench has not started. */
  others: number;
  /** Other virtual machines on the same host. */
  stolen: number;
}

interface Reading {
  total: number;
  busy: number;
  stolen: number;
  own: number;
}

/** Starts to measure what else the machine does; the returned function returns the result. */
export function watchOthers(): () => Disturbance {
  const begin = read();
  return () => {
    const end = read();
    const total = end.total - begin.total;
    const share = (seconds: number) => Math.max(0, Math.round((seconds / total) * 1_000) / 10);
    return { others: share(end.busy - begin.busy - (end.own - begin.own)), stolen: share(end.stolen - begin.stolen) };
  };
}

/** In seconds: the machine's total, and that of this process with its descendants. */
function read(): Reading {
  const [, user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, stolen = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .split('\n', 1)[0]!
    .split(/ +/)
    .map((ticks) => Number(ticks) / 100);
  const busy = user + nice + system + hard + soft;
  const all = processes();
  const below = (pid: number): number[] =>
    all.filter(({ parent }) => parent === pid).flatMap(({ pid: own }) => [own, ...below(own)]);
  const own = processorSeconds([process.pid, ...below(process.pid)]);
  return { total: busy + idle + wait + stolen, busy, stolen, own };
}
