import { open, stat, type FileHandle } from 'node:fs/promises';

const keptBytes = 10 * 1024 * 1024;
const lastWordsBytes = 4_000;

export interface ChildLog {
  /** To be given to the child, then closed. */
  handle: FileHandle;
  /** Reads what was written since the file was opened, its last 4,000 bytes at most. */
  lastWords(): Promise<string>;
}

/**
 * Opens the log file of a child for appending; one that has grown over 10 MB begins anew. A file, not a pipe: the child
 * may outlive this process, and must not die of writing to nobody.
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
