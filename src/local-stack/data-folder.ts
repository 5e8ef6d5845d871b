import { mkdir, readFile, realpath, stat, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { acquirePidLock, type PidLock } from './pid-lock.ts';

/** The data folder cannot be created or is not a folder. The message contains the setting. */
export class DataFolderUnusable extends Error {
  override name = 'DataFolderUnusable';
}

/**
 * Creates the data folder and its parents if they are missing.
 * @returns its path without symbolic links
 * @throws DataFolderUnusable
 */
export async function makeDataFolder(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    await makeFolder(path);
    return await realpath(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DataFolderUnusable(
      `The data folder ${path} cannot be used (${code ?? message}). Set DATA_DIR to a folder that this user can create and write to.`,
    );
  }
}

/** Creates folders one by one: with `recursive`, Node never returns for some parents, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || (await stat(above).catch(() => undefined))) throw error;
    await makeFolder(above);
    await mkdir(path);
  }
}

/** Another `up` uses the same data folder. The message contains its process id and address. */
export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/**
 * Locks the data folder for this process, so that each folder has one `up`.
 * @throws DataFolderInUse if a running process holds the lock
 */
export async function lockDataFolder(dataDir: string): Promise<PidLock> {
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

/** Writes a file that contains a secret to a temporary name and renames it, so that readers never see partial content. */
export async function writePrivate(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, path);
}

/** Reads a secret, which is created at the first start and kept. */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known !== '') return known.trim();
  const made = make();
  await writePrivate(path, made);
  return made;
}
