import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identityOf } from './running-process.ts';

export interface PidLock {
  release(): Promise<void>;
}

interface Holder {
  pid: number;
  identity: string;
}

/**
 * Acquires a lock for the lifetime of this process: a file with process id and identity of its holder. The file of a dead holder is
 * ignored.
 * @returns the lock, or the id of the running process that holds it
 */
export async function acquirePidLock(path: string): Promise<PidLock | { ownerPid: number }> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) }), { mode: 0o644 });
  try {
    for (;;) {
      // A link appears with its content atomically, unlike a file opened with `wx`.
      if (await linked(own, path)) return { release: () => rm(path, { force: true }) };
      const seen = await readFile(path, 'utf8').catch(() => '');
      const holder = holderIn(seen);
      if (holder) return { ownerPid: holder.pid };
      await removeStale(path, seen);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes the lock of a dead holder. Restores it if another process was faster and the file belongs to a running one. */
async function removeStale(path: string, seen: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await readFile(aside, 'utf8')) !== seen) await linked(aside, path);
  await rm(aside, { force: true });
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function holderIn(content: string): Holder | undefined {
  try {
    const holder = JSON.parse(content) as Holder;
    return identityOf(holder.pid) === holder.identity ? holder : undefined;
  } catch {
    return undefined;
  }
}
