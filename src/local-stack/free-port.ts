import { createServer } from 'node:net';

/**
 * Chooses a port to listen on: the wanted one, or a free one when it is in use (or 0).
 * The port is free at that moment; the caller should listen on it soon.
 * @param host address that will be listened on
 * @throws the system's error when the address cannot be used at all (EACCES for a privileged port, EADDRNOTAVAIL)
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
      const { port: taken } = server.address() as { port: number };
      server.close(() => resolve(taken));
    });
  });
}
