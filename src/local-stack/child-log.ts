import { open, readFile, type FileHandle } from 'node:fs/promises';

const keptBytes = 10 * 1024 * 1024;
const lastWordsMax = 4_000;

export interface ChildLog {
  /** Passed to the child, then closed. */
  handle: FileHandle;
  /** Reads the output since the file was opened, at most the last 4,000 characters. */
  lastWords(): Promise<string>;
}

/**
 * Opens the log file of a child for appending, and truncates a file over 10 MB. It is a file and not a pipe because the child may
 * outlive this process, and writing to a closed pipe would end it.
 */
export async function openLog(path: string): Promise<ChildLog> {
  const handle = await open(path, 'a', 0o600);
  if ((await handle.stat()).size > keptBytes) await handle.truncate();
  const beginning = (await handle.stat()).size;
  const lastWords = async () => (await readFile(path)).subarray(beginning).toString('utf8').slice(-lastWordsMax).trim();
  return { handle, lastWords };
}
