import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';

/**
 * Removes a temporary data folder after its servers have ended, and the files of Postgres if they are elsewhere (under
 * root).
 */
export async function removeDataFolder(folder: string): Promise<void> {
  const location = await readFile(join(folder, 'postgres.location'), 'utf8').catch(() => '');
  const elsewhere = dirname(location.trim());
  const removed = [folder, ...(elsewhere.startsWith(tmpdir() + sep) ? [elsewhere] : [])];
  await Promise.all(removed.map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}
