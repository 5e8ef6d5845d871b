import { createServer } from 'node:net';

/**
 * Chooses a port: the wanted one, or a free one if it is in use or 0. The port is free at this moment, so the caller should listen on it
 * soon.
 * @param host address to listen on
 * @throws the system error if the address cannot be used (EACCES for a privileged port, EADDRNOTAVAIL)
 */
export async function chooseFreePort(wanted: number, host = '127.0.0.1'): Promise<number> {
  try {
    return await tryToListen(wanted, host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return tryToListen(0, host);
  }
}

function tryToListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    });
  });
}
