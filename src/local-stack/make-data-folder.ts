import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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
    if (code !== 'ENOENT' || (await isThere(above))) throw error;
    await makeFolder(above);
    await mkdir(path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
