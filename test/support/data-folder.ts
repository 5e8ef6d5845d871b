import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Several times the size of the data that the servers store in a whole run. */
const ROOM_BYTES = 6 * 1_024 ** 3;

/**
 * Creates a temporary folder for the files of servers. Uses memory if there is room: on disk, cloning a database needs
 * twice the processor time.
 */
export async function makeDataFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join((await hasRoomInMemory()) ? IN_MEMORY : tmpdir(), prefix));
  // Under root Postgres runs as another user, who must reach its files.
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoomInMemory(): Promise<boolean> {
  const found = await statfs(IN_MEMORY).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize > ROOM_BYTES && freemem() > ROOM_BYTES;
}
