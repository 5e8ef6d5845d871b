import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection to which a test writes raw bytes. */
export interface RawConnection {
  socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** The next response on the connection; rejects if the connection ends before it. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the server has closed the connection, to all bytes that `answer` has not read. */
  closed(): Promise<string>;
}

/** Opens a connection to the service. `answer` supports Content-Length and chunked bodies. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  let hasEnded = false;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    notify();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    hasEnded = true;
    notify();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const wait = <T>(look: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined && !hasEnded) return;
        listeners.delete(check);
        if (found === undefined) {
          reject(new Error(`the connection ended after: ${received.toString('latin1').slice(0, 200)}`));
        } else resolve(found);
      };
      listeners.add(check);
      check();
    });
  return {
    socket,
    write: (bytes) => {
      socket.write(bytes);
    },
    answer: () =>
      wait(() => {
        const taken = takeAnswer(received);
        if (taken) received = received.subarray(taken.length);
        return taken?.answer;
      }),
    closed: () => wait(() => (hasEnded ? received.toString('utf8') : undefined)),
  };
}

function takeAnswer(bytes: Buffer): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(first.split(' ')[1]);
  const start = end + 4;
  if (headers['transfer-encoding'] === 'chunked') {
    const parts: Buffer[] = [];
    for (let at = start; ;) {
      const lineEnd = bytes.indexOf('\r\n', at);
      if (lineEnd === -1) return undefined;
      const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
      if (bytes.length < lineEnd + 2 + size + 2) return undefined;
      parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
      at = lineEnd + 2 + size + 2;
      if (size === 0) return { answer: { status, headers, body: Buffer.concat(parts).toString('utf8') }, length: at };
    }
  }
  const length = Number(headers['content-length'] ?? 0);
  if (bytes.length < start + length) return undefined;
  return {
    answer: { status, headers, body: bytes.subarray(start, start + length).toString('utf8') },
    length: start + length,
  };
}

/** Formats a request: request line, headers, and body. Adds its length unless the headers declare it. */
export function rawRequest(method: string, path: string, headers: Record<string, string>, body = ''): string {
  const all = {
    host: 'gangway',
    ...(body === '' || 'content-length' in headers || 'transfer-encoding' in headers
      ? {}
      : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  return `${method} ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
}
