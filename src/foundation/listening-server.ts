import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on the given address, by default on a free port of this machine. */
export async function listen(
  server: Server,
  { host = '127.0.0.1', port: wanted = 0 }: { host?: string | undefined; port?: number | undefined },
): Promise<{ url: string; stop(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
