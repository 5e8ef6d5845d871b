import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { refuse } from '../../vocabulary/refusals.ts';
import { renderRefusal } from './refusal-response.ts';

/**
 * Answers what is no HTTP request at all (Node's event `clientError`), with the body that every refusal has, and closes
 * the connection: nobody can say where the next request would begin.
 */
export function answerMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const detail = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are larger than 16 kB.' : 'The request is not valid HTTP, or it did not arrive in time.';
  const { status, body } = renderRefusal(refuse('parse_error', { detail }), uuidv7());
  const text = JSON.stringify(body);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`);
}

/** Answers a request of HTTP/1.1 without the header Host, which has to be refused (RFC 9112, 3.2), and closes the connection. */
export function answerHostless(response: ServerResponse): void {
  const { status, body } = renderRefusal(refuse('parse_error', { detail: 'The header Host is missing.' }), uuidv7());
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
  response.end(JSON.stringify(body));
}
