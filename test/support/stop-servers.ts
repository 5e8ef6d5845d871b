import { removeDataFolder } from './remove-data-folder.ts';

/** Stops the servers of start-servers.ts, and removes its folder. */
export default async function stopServers(): Promise<void> {
  for (const server of (globalThis.testServers ?? []).reverse()) await server.stop();
  const folder = process.env['TEST_FOLDER'];
  if (folder) await removeDataFolder(folder);
}
