import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../settings.ts';
import type { Log } from '../log.ts';
import { connectionAllowance, limitConnections, type ConnectionCounts } from './connection-limit.ts';
import { answerFaultyHead, answerMalformed, faultOfHead } from './malformed-request.ts';

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

export type HttpServerSettings = Pick<
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
