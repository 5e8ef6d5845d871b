import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Delay in milliseconds, by direction. */
export interface Delay {
  there: number;
  back: number;
}

export interface SlowProxy {
  /** The given address, through the proxy. */
  url: string;
  /** Also applies to open connections. */
  setDelay(delay: Delay): void;
  stop(): Promise<void>;
}

/** Starts a proxy between a process and its database that delays both directions; without delay at first. */
export async function startSlowProxy(databaseUrl: string): Promise<SlowProxy> {
  let delay: Delay = { there: 0, back: 0 };
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const pass = (from: Socket, to: Socket, way: keyof Delay): void => {
    const pending: Buffer[] = [];
    from.on('data', (part: Buffer) => {
      pending.push(part);
      setTimeout(() => {
        // Send in order, so that data is not reordered when the delay becomes shorter.
        const first = pending.shift()!;
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
