import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutProxy {
  /** The same address as what was given, through the proxy. */
  url: string;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  mend(): void;
  /** The next time that the service sends this, its connection ends when the server has answered, and the answer is lost. */
  loseAnswerTo(sent: string): void;
  stop(): Promise<void>;
}

/**
 * Stands between a process and a server, as the service and its database, to take the server away without ending it.
 * @param onSent sees what the service sends
 */
export async function startCutProxy(databaseUrl: string, onSent?: (bytes: Buffer) => void): Promise<CutProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isCut = false;
  let lost: string | undefined;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const one of [socket, upstream]) {
      open.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    if (onSent) socket.on('data', onSent);
    socket.on('data', (bytes: Buffer) => {
      if (lost === undefined || !bytes.includes(lost)) return;
      lost = undefined;
      // Before it is piped on.
      upstream.prependOnceListener('data', () => socket.destroy());
    });
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const endAll = () => {
    for (const one of open) one.destroy();
  };
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      endAll();
    },
    mend: () => {
      isCut = false;
    },
    loseAnswerTo: (sent) => {
      lost = sent;
    },
    stop: async () => {
      endAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
