import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acquirePidLock, type PidLock } from './pid-lock.ts';

/** Another `up` uses the same data folder. The message contains its process id and address. */
export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/**
 * Locks the data folder for this process and creates it if it is missing, so that each folder has one `up`.
 * @throws DataFolderInUse if a running process holds the lock
 */
export async function lockDataFolder(dataDir: string): Promise<PidLock> {
  await mkdir(dataDir, { recursive: true });
  const lock = await acquirePidLock(join(dataDir, 'up.lock'));
  if (!('ownerPid' in lock)) return lock;
  const address = await addressOfRunning(dataDir);
  throw new DataFolderInUse(
    `gangway is already running on the data folder ${dataDir}: process ${lock.ownerPid}, ${address ?? 'not ready yet'}. ` +
      `Use that one, end it with: kill ${lock.ownerPid}, or name another folder with DATA_DIR.`,
  );
}

async function addressOfRunning(dataDir: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(dataDir, 'up.json'), 'utf8')) as { http: string }).http;
  } catch {
    return undefined;
  }
}
