import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { tableOf } from '../../foundation/table.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import type { Log } from '../log.ts';
import { renderRefusal } from './answer-refusal.ts';

/** Error of Node's HTTP parser; `reason` is a fixed phrase without request data. */
interface Malformed extends Error {
  code?: string;
  reason?: string;
}

/** Answers a malformed HTTP request (event `clientError`) with a refusal and closes the connection, because the start of the next request is unknown. */
export function answerMalformed(error: Malformed, socket: Duplex, log: Log): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, text, requestId } = answerTo(detailOf(error));
  log.info({ requestId, status, fault: error.code }, 'the data is not an HTTP request');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${text}`);
}

const CAUSES = tableOf({
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 kB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time. Send it again on a new connection.',
  HPE_INVALID_EOF_STATE:
    'The connection ended in the middle of the request. Send the request again on a new connection.',
});

function detailOf({ code = '', reason }: Malformed): string {
  return CAUSES.get(code) ?? `The request is not valid HTTP${reason ? `: ${reason}` : ''}.`;
}

function answerTo(detail: string) {
  const requestId = uuidv7();
  const { status, body } = renderRefusal(refuse('parse_error', { detail }), requestId);
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    connection: 'close',
  };
  return { status, headers, text, requestId };
}

/**
 * Finds faults of a request head that Node accepts: duplicate Host headers (a proxy may use another one than Node; RFC 9112, 3.2) and
 * unsupported HTTP versions.
 * @returns the detail of the refusal, or undefined
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
  if (hosts > 1) return 'The header Host was sent more than once.';
  return hosts === 0 && httpVersionMinor > 0 ? 'The header Host is missing.' : undefined;
}

/** Refuses a request with a faulty head, and closes the connection. */
export function answerFaultyHead(response: ServerResponse, detail: string, log: Log): void {
  const { status, headers, text, requestId } = answerTo(detail);
  log.info({ requestId, status, fault: 'head' }, 'the data is not an HTTP request');
  response.writeHead(status, headers);
  response.end(text);
}
