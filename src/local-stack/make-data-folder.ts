import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The data folder cannot be created or is not a folder; the message names the setting. */
export class DataFolderUnusable extends Error {
  override name = 'DataFolderUnusable';
}

/**
 * Creates the data folder and its parents if they are missing.
 * @returns its path without links
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
      `The data folder ${path} cannot be used (${code ?? message}). Set DATA_DIR to a folder that this user may make and write to.`,
    );
  }
}

/** Creates one folder after the other: with `recursive`, Node never returns below some folders, such as /proc. */
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
