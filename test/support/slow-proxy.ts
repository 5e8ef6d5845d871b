import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Milliseconds by which what goes there and what comes back is late. */
export interface Delay {
  there: number;
  back: number;
}

export interface SlowProxy {
  /** The same address as what was given, through the proxy. */
  url: string;
  /** Takes effect on open connections too. */
  setDelay(delay: Delay): void;
  stop(): Promise<void>;
}

/** Stands between a process and its database, and delays what goes there and what comes back; nothing until it is told to. */
export async function startSlowProxy(databaseUrl: string): Promise<SlowProxy> {
  let delay: Delay = { there: 0, back: 0 };
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const pass = (from: Socket, to: Socket, way: keyof Delay): void => {
    const underWay: Buffer[] = [];
    from.on('data', (part: Buffer) => {
      underWay.push(part);
      setTimeout(() => {
        // The first, so that nothing overtakes when the delay has become shorter.
        const first = underWay.shift()!;
        if (to.writable) to.write(first);
      }, delay[way]);
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
    pass(socket, upstream, 'there');
    pass(upstream, socket, 'back');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    setDelay: (wanted) => {
      delay = wanted;
    },
    stop: async () => {
      for (const one of open) one.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
