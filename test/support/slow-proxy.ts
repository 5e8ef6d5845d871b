import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SlowProxy {
  /** The same address as what was given, through the proxy. */
  url: string;
  stop(): Promise<void>;
}

/** Stands between a process and its database, and delays what goes there and what comes back. */
export async function startSlowProxy(
  databaseUrl: string,
  delayMs: { there: number; back: number },
): Promise<SlowProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const pass = (from: Socket, to: Socket, ms: number): void => {
    from.on('data', (part) => {
      setTimeout(() => {
        if (to.writable) to.write(part);
      }, ms);
    });
  };
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const one of [socket, upstream]) {
      open.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    pass(socket, upstream, delayMs.there);
    pass(upstream, socket, delayMs.back);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    stop: async () => {
      for (const one of open) one.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
