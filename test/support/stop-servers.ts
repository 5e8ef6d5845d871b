import { removeDataFolder } from './remove-data-folder.ts';

/** Stops what start-servers.ts started, and removes its folder. */
export default async function stopServers(): Promise<void> {
  for (const server of (globalThis.testServers ?? []).reverse()) await server.stop();
  const folder = process.env['TEST_FOLDER'];
  if (folder) await removeDataFolder(folder);
}
