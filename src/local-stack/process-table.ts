import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes of the system, including those of other users. */
export interface ProcessTable {
  /**
   * Returns an identity that no other process has, including later ones with the same process id, as is usual after a container restart.
   * @returns null if there is no such process, or if it is a zombie
   */
  identityOf(pid: number): string | null;
  /** Returns each running process with its arguments, separated and enclosed by spaces. */
  commandLines(): { pid: number; commandLine: string }[];
}

/**
 * Reads /proc, or runs `ps` on systems without it, such as macOS.
 * @param folder the /proc folder
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

/** @returns the output of `ps`; empty if there is no such process */
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
