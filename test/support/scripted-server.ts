import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** Starts a server that responds as the test defines; without a response it closes the connection. */
export async function startAnswering(
  answer: (request: IncomingMessage, body: Buffer) => Promise<Answer | undefined>,
  tls?: { key: string; cert: string },
): Promise<{ url: string; stop(): void }> {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await answer(request, await buffer(request));
    if (answered === undefined) response.destroy();
    else {
      response
        .writeHead(answered.status, { 'content-type': 'application/json', ...answered.headers })
        .end(answered.body);
    }
  };
  const server: Server = (tls ? createTlsServer(tls, listener) : createServer(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  };
}
