import { createServer, type RequestListener, type Server, type ServerResponse, type IncomingMessage } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../settings.ts';
import type { Log } from '../log.ts';
import { connectionAllowance, limitConnections, type ConnectionCounts } from './connection-limit.ts';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { tableOf } from '../../foundation/table.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { renderRefusal } from './answer-refusal.ts';

export interface HttpServer {
  url: string;
  /** Whether the server is stopping, so that load balancers should send requests elsewhere. */
  isDraining(): boolean;
  connections(): ConnectionCounts;
  /** Stops accepting connections, gives clients time to leave, and completes requests in progress. */
  stop(): Promise<void>;
}

/** Longer than the usual idle timeout of proxies (60 s), so that no proxy uses a connection that is being closed. */
const KEEP_ALIVE_MS = 65_000;
/** Part of the drain time in which new connections are still accepted while readiness reports the stop to load balancers. */
const DRAIN_NOTICE_MS = 500;
/** Length of the steps in which the rest of the drain time is waited for. */
const STEP_MS = 100;
/** A client that sent a request within this time will probably send its next request on the same connection. */
const RECENTLY_MS = 1_000;

/** Time limit for accepting the connections in the backlog (511 by Node's default), under continuous load. */
const ACCEPT_WAIT_MAX_MS = 1_000;
/** Iterations of the event loop that handle no request take less. */
const SHORT_ITERATION_MS = 0.5;

/** Time limit for receiving a whole request. */
const BODY_DEADLINE_MS = 300_000;
/** Interval between checks for connections past their deadline. */
const CHECK_EVERY_MS = 10_000;

type HttpServerSettings = Pick<
  Settings,
  | 'HTTP_PORT'
  | 'HTTP_HOST'
  | 'HTTP_PROXIES'
  | 'HTTP_CONNECTIONS_MAX'
  | 'HTTP_HEAD_DEADLINE_MS'
  | 'SHUTDOWN_DRAIN_MS'
  | 'SHUTDOWN_GRACE_MS'
>;

/**
 * Serves requests on the configured port and address.
 * @throws the system error if it cannot listen
 */
export async function serveHttp(answer: RequestListener, settings: HttpServerSettings, log: Log): Promise<HttpServer> {
  const serving: Serving = { phase: 'serving', underWay: new Set(), lastRequestAt: Number.NEGATIVE_INFINITY };
  // Node's own response to a missing Host header has no body.
  const headersTimeout = settings.HTTP_HEAD_DEADLINE_MS;
  const deadlines = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout,
    requestTimeout: Math.max(BODY_DEADLINE_MS, headersTimeout),
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeout),
  };
  const server = createServer({ ...deadlines, requireHostHeader: false }, listenerOf(serving, answer, log));
  server.on('clientError', (error, socket) => answerMalformed(error, socket, log));
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would respond without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const limited = limitConnections(server, connectionAllowance(settings), log, 'API');
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.HTTP_PORT, settings.HTTP_HOST, () => resolve(server.address() as AddressInfo));
  });
  return {
    url: `http://${settings.HTTP_HOST.includes(':') ? `[${settings.HTTP_HOST}]` : settings.HTTP_HOST}:${address.port}`,
    isDraining: () => serving.phase !== 'serving',
    connections: limited.counts,
    stop: async () => {
      await drain(server, serving, settings);
      limited.stop();
    },
  };
}

/** Phase of the shutdown, and requests in progress. */
interface Serving {
  phase: 'serving' | 'draining' | 'leaving' | 'ending';
  underWay: Set<ServerResponse>;
  lastRequestAt: number;
}

function listenerOf(serving: Serving, answer: RequestListener, log: Log): RequestListener {
  /** Connections with a rejected request head; further input is ignored. */
  const faulty = new WeakSet<Socket>();
  return (request, response) => {
    serving.lastRequestAt = performance.now();
    serving.underWay.add(response);
    response.on('close', () => {
      serving.underWay.delete(response);
      // If the response head was sent before the shutdown, the client did not get `Connection: close` and would keep the connection.
      if (serving.phase === 'ending') request.socket.destroySoon();
    });
    // Only after the server stopped listening; otherwise clients would reconnect and be disconnected again.
    if (serving.phase === 'leaving' || serving.phase === 'ending') requestClose(response);
    // Bytes after a malformed head may belong to it (request smuggling), so they are not parsed as a request.
    if (faulty.has(request.socket)) return;
    const fault = faultOfHead(request);
    if (fault === undefined) {
      answer(request, response);
      return;
    }
    faulty.add(request.socket);
    answerFaultyHead(response, fault, log);
  };
}

/** Gives clients time to leave, stops accepting connections, and completes requests in progress. */
async function drain(server: Server, serving: Serving, settings: HttpServerSettings): Promise<void> {
  serving.phase = 'draining';
  const isInUse = serving.underWay.size > 0 || performance.now() - serving.lastRequestAt < RECENTLY_MS;
  const drainMs = isInUse ? Math.min(settings.SHUTDOWN_DRAIN_MS, settings.SHUTDOWN_GRACE_MS) : 0;
  await sleep(Math.min(drainMs, DRAIN_NOTICE_MS));
  await acceptWaiting(server);
  serving.phase = 'leaving';
  // The server's own `close` would immediately close idle connections, together with requests on their way.
  const closed = new Promise((resolve) => {
    NetServer.prototype.close.call(server, resolve);
  });
  for (const response of serving.underWay) requestClose(response);
  await Promise.race([closed, runFor(drainMs - DRAIN_NOTICE_MS)]);
  // Reads pending input first: closing a connection that only seems idle would abort its request.
  await afterReading();
  serving.phase = 'ending';
  server.closeIdleConnections();
  await Promise.race([
    closed,
    new Promise((resolve) => {
      setTimeout(resolve, settings.SHUTDOWN_GRACE_MS - drainMs).unref();
    }),
  ]);
  server.closeAllConnections();
}

/**
 * Accepts the connections in the listener's backlog, because closing the listener would reset them. It returns after an iteration of the
 * event loop that accepted none and was short: connections that arrive during a long one are in the backlog at its end.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  // Node accepts one connection per iteration of the event loop.
  for (const until = performance.now() + ACCEPT_WAIT_MAX_MS; performance.now() < until;) {
    const [before, startedAt] = [accepted, performance.now()];
    await afterReading();
    if (accepted === before && performance.now() - startedAt < SHORT_ITERATION_MS) break;
  }
  server.off('connection', count);
}

/** Waits in steps, so that a suspended machine loses at most one step of the drain time. */
async function runFor(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) await sleep(Math.min(left, STEP_MS));
}

function requestClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Error of Node's HTTP parser; `reason` is a fixed phrase without request data. */
interface Malformed extends Error {
  code?: string;
  reason?: string;
}

/** Answers a malformed HTTP request (event `clientError`) with a refusal and closes the connection, because the start of the next request is unknown. */
function answerMalformed(error: Malformed, socket: Duplex, log: Log): void {
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
function faultOfHead({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): string | undefined {
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
function answerFaultyHead(response: ServerResponse, detail: string, log: Log): void {
  const { status, headers, text, requestId } = answerTo(detail);
  log.info({ requestId, status, fault: 'head' }, 'the data is not an HTTP request');
  response.writeHead(status, headers);
  response.end(text);
}
