import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../settings.ts';
import type { Log } from '../log.ts';
import { connectionAllowance } from './connection-allowance.ts';
import { limitConnections, type ConnectionCounts } from './connection-limit.ts';
import { answerFaultyHead, answerMalformed, faultOfHead } from './malformed-request.ts';

export interface HttpServer {
  url: string;
  /** A stop has begun; who balances load should go elsewhere. */
  isDraining(): boolean;
  connections(): ConnectionCounts;
  /** Stops accepting, gives clients time to leave, and lets requests under way end. */
  stop(): Promise<void>;
}

/** Longer than the usual idle timeout of proxies (60 s), so that no proxy sends a request on a connection that is being closed. */
const KEEP_ALIVE_MS = 65_000;
/** Share of the drain time in which requests are still served while readiness reports the stop to load balancers. */
const DRAIN_NOTICE_MS = 500;
/** The rest of the drain is waited for in steps of this length. */
const STEP_MS = 100;
/** A client that sent a request so shortly ago is likely to send the next one on the same connection. */
const RECENTLY_MS = 1_000;

/** Most connections that wait to be accepted: Node's default. */
const BACKLOG = 511;

/** Longest that a whole request may take to arrive. */
const BODY_DEADLINE_MS = 300_000;
/** Interval between checks for connections past their deadline. */
const LOOK_EVERY_MS = 10_000;

export type HttpServerSettings = Pick<
  Settings,
  | 'HTTP_PORT'
  | 'HTTP_HOST'
  | 'HTTP_PROXIES'
  | 'HTTP_CONNECTIONS_MAX'
  | 'HTTP_CONNECTIONS_PER_ADDRESS_MAX'
  | 'HTTP_HEAD_DEADLINE_MS'
  | 'SHUTDOWN_DRAIN_MS'
  | 'SHUTDOWN_GRACE_MS'
>;

/**
 * Serves requests on the port and address of the settings.
 * @throws the system's error when it cannot listen there
 */
export async function serveHttp(answer: RequestListener, settings: HttpServerSettings, log: Log): Promise<HttpServer> {
  const serving: Serving = { phase: 'serving', underWay: new Set(), lastRequestAt: Number.NEGATIVE_INFINITY };
  // Node's own answer to a missing Host has no body.
  const headersTimeout = settings.HTTP_HEAD_DEADLINE_MS;
  const deadlines = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout,
    requestTimeout: Math.max(BODY_DEADLINE_MS, headersTimeout),
    connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, headersTimeout),
  };
  const server = createServer({ ...deadlines, requireHostHeader: false }, listenerOf(serving, answer, log));
  server.on('clientError', (error, socket) => answerMalformed(error, socket, log));
  // An expectation other than 100-continue may be passed over (RFC 9110, 10.1.1); Node would answer it without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const limited = limitConnections(server, connectionAllowance(settings, log), log, 'API');
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

/** State of the shutdown and requests in progress. */
interface Serving {
  phase: 'serving' | 'draining' | 'leaving' | 'ending';
  underWay: Set<ServerResponse>;
  lastRequestAt: number;
}

function listenerOf(serving: Serving, answer: RequestListener, log: Log): RequestListener {
  /** Connections whose head was rejected; further input is ignored. */
  const faulty = new WeakSet<Socket>();
  return (request, response) => {
    serving.lastRequestAt = performance.now();
    serving.underWay.add(response);
    response.on('close', () => {
      serving.underWay.delete(response);
      // The client has not received Connection: close if the head was sent before the shutdown, and would keep the connection.
      if (serving.phase === 'ending') request.socket.destroySoon();
    });
    // Only after the server stopped listening; otherwise clients would reconnect and be disconnected.
    if (serving.phase === 'leaving' || serving.phase === 'ending') tellToLeave(response);
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

/** Gives clients time to leave, takes no new connection, and lets requests under way end. */
async function drain(server: Server, serving: Serving, settings: HttpServerSettings): Promise<void> {
  serving.phase = 'draining';
  const isInUse = serving.underWay.size > 0 || performance.now() - serving.lastRequestAt < RECENTLY_MS;
  const drainMs = isInUse ? Math.min(settings.SHUTDOWN_DRAIN_MS, settings.SHUTDOWN_GRACE_MS) : 0;
  await sleep(Math.min(drainMs, DRAIN_NOTICE_MS));
  await acceptWaiting(server);
  serving.phase = 'leaving';
  // Not the server's own `close`, which cuts idle connections at once, and with them a request that is on the way.
  const closed = new Promise((resolve) => {
    NetServer.prototype.close.call(server, resolve);
  });
  for (const response of serving.underWay) tellToLeave(response);
  await Promise.race([closed, runFor(drainMs - DRAIN_NOTICE_MS)]);
  // A connection is idle only once what has come on it was read: closed before, it would cut a request off.
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

/** Accepts the connections that wait in the listener's queue, because closing the listener would reset them. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  // Node accepts one connection per iteration of the event loop.
  for (let iteration = 0; iteration < BACKLOG && accepted === iteration; iteration += 1) await afterReading();
  server.off('connection', count);
}

/** Waits in steps, so that a suspended machine loses at most one step of the drain time. */
async function runFor(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) await sleep(Math.min(left, STEP_MS));
}

function tellToLeave(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
