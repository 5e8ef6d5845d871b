import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutProxy {
  /** The given address, through the proxy. */
  url: string;
  /** Closes all connections and rejects new ones. */
  cut(): void;
  mend(): void;
  /** The next time the service sends this, its connection closes after the server has responded, and the response is lost. */
  loseAnswerTo(sent: string): void;
  stop(): Promise<void>;
}

/**
 * Starts a proxy between a process and a server, such as the service and its database, to cut the connection without
 * stopping the server.
 * @param onSent receives the bytes that the service sends
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
      // Runs before the response is piped.
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
