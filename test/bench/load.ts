import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
  requests: number;
  failed: number;
  non2xx: number;
}

export interface LoadOptions {
  url: string;
  bodyFile: string;
  token: string;
  connections: number;
  seconds: number;
  /** Each request uses another account, from this number on. */
  first?: number;
}

/**
 * Fetched from the registry into npm's cache if wrk is not installed. It needs several times the processor time of
 * wrk.
 */
const AUTOCANNON = 'autocannon@9.0.0';
const hasWrk = (process.env['PATH'] ?? '').split(delimiter).some((folder) => canRun(join(folder, 'wrk')));

/** The program that sends requests. */
export const loadTool = hasWrk ? 'wrk' : AUTOCANNON;

/** Sends requests to a listening server as fast as it answers. */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, bodyFile, token, connections, seconds, first } = options;
  const numbers = first === undefined ? [] : [String(first)];
  const [command, args] = hasWrk
    ? [
        'wrk',
        ['-t1', `-c${connections}`, `-d${seconds}`, '--timeout', '30'].concat(
          ['-s', join(import.meta.dirname, 'post.lua'), url, '--', bodyFile],
          numbers,
        ),
      ]
    : [
        'npm',
        ['exec', '--yes', '--package', AUTOCANNON, '--', process.execPath].concat(
          [join(import.meta.dirname, 'post.ts'), url, bodyFile, String(connections), String(seconds)],
          numbers,
        ),
      ];
  const output = await outputOf(command, args, token);
  const line = /RESULT (.*)/.exec(output)?.[1];
  if (!line) throw new Error(`${loadTool} printed no result:\n${output}`);
  return JSON.parse(line) as Load;
}

function outputOf(command: string, args: string[], token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, BENCH_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
