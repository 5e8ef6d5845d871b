import type { IncomingMessage, ServerResponse } from 'node:http';
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
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are larger than 16 kB.'
      : 'The request is not valid HTTP, or it did not arrive in time.';
  const { status, body } = renderRefusal(refuse('parse_error', { detail }), uuidv7());
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`,
  );
}

/**
 * What is wrong with the head of a request that Node lets through. Of two headers Host it would take the first, and who
 * stands in front of this service perhaps the second (RFC 9112, 3.2); and it takes versions that it does not speak.
 * @returns the sentence to answer, or undefined if all is well
 */
export function faultOfHead({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1 || httpVersionMinor > 1) {
    return 'The version in the request line is neither HTTP/1.1 nor HTTP/1.0.';
  }
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'The header Host stands more than once.';
  return hosts === 0 && httpVersionMinor > 0 ? 'The header Host is missing.' : undefined;
}

/** Answers a request with a faulty head in the usual form, and closes the connection. */
export function answerFaultyHead(response: ServerResponse, detail: string): void {
  const { status, body } = renderRefusal(refuse('parse_error', { detail }), uuidv7());
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(text);
}
