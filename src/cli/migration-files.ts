import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  attachedKinds,
  type ImportJobGoal,
  type ImportJobKind,
  kindsBeforeCreation,
} from '../vocabulary/import-jobs.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { formOf } from './import-state.ts';

/** A file of a migration. */
export interface MigrationFile {
  kind: ImportJobKind;
  goal: ImportJobGoal;
  path: string;
  /** Name of its job: the file with its hash, so that a corrected file gets a job of its own. */
  jobName: string;
  /** Size and time when it was read. */
  form: ReturnType<typeof formOf>;
}

const ENDINGS = ['.ndjson', '.ndjson.gz', '.ndjson.zst'];
/** Hexadecimal digits of the hash in the name of a job. */
const HASH_DIGITS = 16;

/**
 * Finds the files of a migration in a folder. Empty files are ignored.
 * @param onFile called before a file is read
 * @returns in the order in which they are imported
 * @throws CommandError if there are none, or several of one kind
 */
export async function findMigrationFiles(folder: string, onFile: (name: string) => void): Promise<MigrationFile[]> {
  const kinds = [...kindsBeforeCreation, ...attachedKinds];
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandError(`${folder} is not a folder. Name the folder with the files.`, exitStatuses.usage);
  }
  const files: MigrationFile[] = [];
  for (const kind of kinds) {
    const names = ENDINGS.map((ending) => `${kind}${ending}`).filter((name) => sizeOf(join(folder, name)) > 0);
    if (names.length > 1) {
      throw new CommandError(`${folder} has ${names.join(' and ')}. Keep one of them.`, exitStatuses.usage);
    }
    const [name] = names;
    if (name === undefined) continue;
    onFile(name);
    const path = join(folder, name);
    const form = formOf(path);
    const jobName = `${name} sha256:${(await hashOf(path)).slice(0, HASH_DIGITS)}`;
    files.push({ kind, goal: kind === 'accounts' ? 'STAGE' : 'IMPORT', path, jobName, form });
  }
  if (files.length === 0) {
    const [first, second] = ENDINGS;
    throw new CommandError(
      `${folder} has no file of a migration. They are named ${kinds.join(', ')}, each with ${first} or ${second} or .zst.`,
      exitStatuses.usage,
    );
  }
  return files;
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isFile()) throw new CommandError(`${path} is not a regular file.`, exitStatuses.usage);
  return found.size;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
  return hash.digest('hex');
}

/** Whether a job was opened for another content of this file. */
export function isOfOtherContent(file: MigrationFile, job: { kind: string; name: string | null }): boolean {
  const isOfFile = job.kind === file.kind && / sha256:[0-9a-f]{16}$/.test(job.name ?? '');
  return isOfFile && job.name !== file.jobName;
}
