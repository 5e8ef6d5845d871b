import { open, stat, type FileHandle } from 'node:fs/promises';

const keptBytes = 10 * 1024 * 1024;
const lastWordsBytes = 4_000;

export interface ChildLog {
  /** Passed to the child, then closed. */
  handle: FileHandle;
  /** Reads the output since the file was opened, at most the last 4,000 bytes. */
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
  const lastWords = async (): Promise<string> => {
    const from = Math.max(beginning, (await stat(path)).size - lastWordsBytes);
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(lastWordsBytes), position: from });
      return buffer.toString('utf8', 0, bytesRead).trim();
    } finally {
      await file.close();
    }
  };
  return { handle, lastWords };
}
