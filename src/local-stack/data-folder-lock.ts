import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { takePidLock, type PidLock } from './pid-lock.ts';

/** Another `up` runs on the same data folder; the message names its process and address. */
export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/**
 * Locks the data folder for this process, and creates it if it is missing: one `up` per folder.
 * @throws DataFolderInUse when a live process holds it
 */
export async function lockDataFolder(dataDir: string): Promise<PidLock> {
  await mkdir(dataDir, { recursive: true });
  const lock = await takePidLock(join(dataDir, 'up.lock'));
  if (!('heldBy' in lock)) return lock;
  const address = await addressOfRunning(dataDir);
  throw new DataFolderInUse(
    `gangway is already running on the data folder ${dataDir}: process ${lock.heldBy}, ${address ?? 'not ready yet'}. ` +
      `Use that one, end it with: kill ${lock.heldBy}, or name another folder with DATA_DIR.`,
  );
}

async function addressOfRunning(dataDir: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(dataDir, 'up.json'), 'utf8')) as { http: string }).http;
  } catch {
    return undefined;
  }
}
