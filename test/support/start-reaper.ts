import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * Makes servers end with this process, even if a signal ends it. The reaper has its own process group, which Ctrl-C
 * does not reach.
 * @param folder removed after the servers have ended
 */
export function startReaper(folder: string, pids: readonly number[]): void {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reap-servers.ts'), folder, ...pids.map(String)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  reaper.unref();
  (reaper.stdin as Socket).unref();
}
