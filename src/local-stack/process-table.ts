import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the system tells of its processes, those of other users included. */
export interface ProcessTable {
  /**
   * Tells one process from every other, also from a later one that gets the same number (after a restart of a container
   * that is the rule rather than the exception).
   * @returns null when no such process lives; one that has ended but was not collected by its parent does not live
   */
  identityOf(pid: number): string | null;
  /** Each live process with its arguments, a blank before, between and after them. */
  commandLines(): { pid: number; commandLine: string }[];
}

/**
 * Reads /proc, or asks `ps` where there is none, as on macOS.
 * @param folder where Linux shows its processes
 */
export function openProcessTable(folder = '/proc'): ProcessTable {
  return existsSync(join(folder, 'self/stat')) ? tableOfFolder(folder) : tableOfPs;
}

function tableOfFolder(folder: string): ProcessTable {
  const read = (path: string) => readFileSync(join(folder, path), 'latin1');
  return {
    identityOf: (pid) => {
      try {
        const stat = read(`${pid}/stat`);
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (fields[0] === 'Z' || fields[0] === 'X') return null;
        return `${pid}/${fields[19]}/${read('sys/kernel/random/boot_id').trim()}`;
      } catch {
        return null;
      }
    },
    commandLines: () =>
      readdirSync(folder)
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => {
          try {
            const commandLine = readFileSync(join(folder, name, 'cmdline'), 'utf8')
              .split('\0')
              .join(' ');
            return [{ pid: Number(name), commandLine: ` ${commandLine} ` }];
          } catch {
            return [];
          }
        }),
  };
}

const tableOfPs: ProcessTable = {
  identityOf: (pid) => {
    const [state = '', ...startedAt] = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : `${pid}/${startedAt.join(' ')}`;
  },
  commandLines: () =>
    ps('-A', '-ww', '-o', 'pid=,command=')
      .split('\n')
      .flatMap((line) => {
        const [, pid, commandLine] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
        return pid === undefined ? [] : [{ pid: Number(pid), commandLine: ` ${commandLine} ` }];
      }),
};

/** @returns what it prints; nothing when it finds no process */
function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout === '') return '';
    throw error;
  }
}
