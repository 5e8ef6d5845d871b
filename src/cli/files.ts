import { randomUUID } from 'node:crypto';
import { createWriteStream, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError, exitStatuses } from './command-error.ts';

/** Results contain personal data. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Reads a file that the user has named.
 * @param name of the file in the message of a failure
 * @throws CommandError when it cannot be read
 */
export function textIn(file: string, name = file): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
}

/**
 * Checks that a file can be replaced. Never writes through a link, which another user of the machine may have created.
 * @throws CommandError if the path is a link, folder or pipe
 */
export function assertReplaceable(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isCharacterDevice()) return;
  throw new CommandError(`${file} is not a regular file. Name a file that can be replaced.`, exitStatuses.usage);
}

/**
 * Writes a file that only the user can read. The file is replaced atomically once the content is complete; a device is written directly.
 * @throws CommandError when it cannot be written
 */
export async function replaceFile(file: string, content: Iterable<string> | AsyncIterable<Buffer>): Promise<void> {
  assertReplaceable(file);
  const isDevice = lstatSync(file, { throwIfNoEntry: false })?.isCharacterDevice() === true;
  const unfinished = isDevice ? file : `${file}.${randomUUID()}.part`;
  try {
    await pipeline(content, createWriteStream(unfinished, { flags: isDevice ? 'w' : 'wx', mode: FILE_MODE }));
    if (!isDevice) await rename(unfinished, file);
  } catch (error) {
    if (!isDevice) await rm(unfinished, { force: true });
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}.`, exitStatuses.usage);
  }
}

/** Writes JSON to a file of the configuration, readable by this user only. Renames a complete file, so that no other command reads a part of it. */
export function writePrivateJson(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: FILE_MODE });
  renameSync(unfinished, file);
}
