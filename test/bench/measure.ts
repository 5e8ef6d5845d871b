import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BenchServer {
  name: string;
  url: string;
  /** Processes whose processor time counts for this server. */
  pids: number[];
  stop(): Promise<void>;
}

/** Starts a server of test/bench/servers and waits until it listens. */
export async function startBenchServer(
  file: string,
  variant: string,
  port: number,
  databaseUrl: string,
): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, 'servers', file), [], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      VARIANT: variant,
      HTTP_PORT: String(port),
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`${file} ${variant} ended with ${code}`)));
  });
  return { name: variant, url: `http://127.0.0.1:${port}`, pids: [child.pid as number], stop: () => stopChild(child) };
}

export function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Processor time of processes so far, in seconds, including children that have ended. */
export function processorSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      for (const field of statOf(`${pid}`).slice(11, 15)) ticks += Number(field);
    } catch {
      // The process has ended.
    }
  }
  return ticks / 100;
}

/** Processor time of a process's main thread so far, in seconds, without threads that compile or collect garbage. */
export function mainThreadSeconds(pid: number): number {
  return statOf(`${pid}/task/${pid}`)
    .slice(11, 13)
    .reduce((seconds, ticks) => seconds + Number(ticks) / 100, 0);
}

/** The fields of /proc/.../stat of a process or thread, from its state on. */
function statOf(path: string): string[] {
  return readFileSync(`/proc/${path}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(line) / 1024);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** All processes of the machine. */
export function processes(): { pid: number; parent: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
        return [
          { pid: Number(name), parent, command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') },
        ];
      } catch {
        return [];
      }
    });
}

/** All descendants of a process. */
export function below(pid: number, all = processes()): number[] {
  return all.filter(({ parent }) => parent === pid).flatMap(({ pid: own }) => [own, ...below(own, all)]);
}
