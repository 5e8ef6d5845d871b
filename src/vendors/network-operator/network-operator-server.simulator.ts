import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { listen } from '../../foundation/listening-server.ts';
import { createMagic, type MagicKind } from './magic-identifier.simulator.ts';

export interface NetworkOperatorSimulatorOptions {
  host?: string;
  port?: number;
  /** Records every call with its time; leave it off for long runs. */
  recordCalls?: boolean;
  /** Delay of responses. */
  latencyMs?: number;
  /** Serves TLS and requires a client certificate of this authority; PEM. */
  tls?: { key: string; cert: string; ca: string };
}

/** The outcome of all calls until it is changed. */
type NetworkOperatorMood = 'well' | 'down' | 'misconfigured' | 'busy';

export interface NetworkOperatorSimulator {
  /** Address to set for the client. */
  url: string;
  /** Calls for points in order; `at` is in milliseconds of `performance.now()`. */
  readonly calls: readonly { at: number; identifier: string; body: string }[];
  /** Number of tokens issued so far. */
  readonly tokens: number;
  mood(mood: NetworkOperatorMood): void;
  stop(): Promise<void>;
}

/** A protocol: how to find the point in a request, and the responses. */
export interface NetworkOperatorProtocol {
  /** Handles requests that do not concern a point, such as those for a token; returns whether it did. */
  answersOther(request: IncomingMessage, body: string, response: ServerResponse, giveToken: () => string): boolean;
  /** The requested point; undefined if the request is malformed. */
  identifierIn(request: IncomingMessage, body: string): string | undefined;
  /** False if the caller is not authorized; the response is then 401. */
  isAllowed(request: IncomingMessage, body: string, tokens: ReadonlySet<string>): boolean;
  answer(response: ServerResponse, identifier: string, body: string): void;
  /** Handles a magic kind of the protocol's table; false if the table does not have it. */
  answerMagic(response: ServerResponse, identifier: string, kind: MagicKind, body: string): boolean;
  misconfigured(response: ServerResponse): void;
  busy(response: ServerResponse): void;
}

const BUSY_SECONDS = '1';

/** Returns the function that starts a simulated network operator on its own port. Product code, so that `npm start`, the demo and tests use the same protocol. */
export const networkOperatorSimulator =
  (protocol: NetworkOperatorProtocol) =>
  (options: NetworkOperatorSimulatorOptions = {}): Promise<NetworkOperatorSimulator> =>
    start(protocol, options);

async function start(
  protocol: NetworkOperatorProtocol,
  options: NetworkOperatorSimulatorOptions,
): Promise<NetworkOperatorSimulator> {
  const networkOperator = createNetworkOperator(protocol, options.recordCalls ?? false);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    text(request).then(
      (body) => {
        if (options.latencyMs) setTimeout(() => networkOperator.serve(request, response, body), options.latencyMs);
        else networkOperator.serve(request, response, body);
      },
      () => {},
    );
  };
  const server: Server = options.tls
    ? createTlsServer({ ...options.tls, requestCert: true, rejectUnauthorized: true }, handle)
    : createServer(handle);
  const { url, stop } = await listen(server, options);
  return {
    url: options.tls ? url.replace('http:', 'https:') : url,
    calls: networkOperator.calls,
    get tokens() {
      return networkOperator.given();
    },
    mood: networkOperator.mood,
    stop,
  };
}

/** Creates the state of the network operator, and the handler of complete requests. */
function createNetworkOperator(protocol: NetworkOperatorProtocol, recordsCalls: boolean) {
  const calls: { at: number; identifier: string; body: string }[] = [];
  const tokens = new Set<string>();
  const magic = createMagic();
  const magicSeen = new Set<string>();
  let mood: NetworkOperatorMood = 'well';
  let given = 0;
  const giveToken = () => {
    given += 1;
    const token = `token-${given}`;
    tokens.add(token);
    return token;
  };
  const serve = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (protocol.answersOther(request, body, response, giveToken)) return;
    const identifier = protocol.identifierIn(request, body);
    if (identifier === undefined) return end(response, 400, 'text/plain', 'malformed');
    if (recordsCalls) calls.push({ at: performance.now(), identifier, body });
    if (!protocol.isAllowed(request, body, tokens)) return refuseToken(response);
    if (mood === 'down') return end(response, 503, 'text/html', '<h1>Maintenance</h1>');
    if (mood === 'misconfigured') return protocol.misconfigured(response);
    if (mood === 'busy') return protocol.busy(response);
    const kind = magic(identifier);
    if (kind === '42') tokens.clear();
    if (kind === '42' && !magicSeen.has(identifier)) {
      magicSeen.add(identifier);
      return refuseToken(response);
    }
    if (
      kind === undefined ||
      (!protocol.answerMagic(response, identifier, kind, body) && !answerOnWire(response, kind))
    ) {
      protocol.answer(response, identifier, body);
    }
  };
  return {
    calls,
    serve,
    given: () => given,
    mood: (next: NetworkOperatorMood) => {
      mood = next;
    },
  };
}

function refuseToken(response: ServerResponse): void {
  end(response, 401, 'application/json', '{"error":"invalid_token"}');
}

/** Kinds of all protocols; false for any other kind. */
function answerOnWire(response: ServerResponse, kind: MagicKind): boolean {
  if (kind === '10') end(response, 429, 'text/plain', 'Too many requests', { 'retry-after': BUSY_SECONDS });
  else if (kind === '20') end(response, 503, 'text/html', '<h1>Unavailable</h1>');
  else if (kind === '21') end(response, 502, 'text/html', '<h1>Unavailable</h1>');
  else if (kind === '23') response.destroy();
  // 22 is never answered.
  else return kind === '22';
  return true;
}

/** Sends a response. */
export function end(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': type, ...headers }).end(body);
}

/**
 * Issues tokens of OAuth's client-credentials grant.
 * @param refusedWith status for the client secret `wrong`
 */
export function answersToken(
  path: string,
  { refusedWith, expiresIn }: { refusedWith: number; expiresIn: number },
): NetworkOperatorProtocol['answersOther'] {
  return (request, body, response, giveToken) => {
    if (request.url !== path) return false;
    if (new URLSearchParams(body).get('client_secret') === 'wrong') {
      end(response, refusedWith, 'application/json', '{"error":"invalid_client"}');
    } else {
      const token = { access_token: giveToken(), token_type: 'Bearer', expires_in: expiresIn };
      end(response, 200, 'application/json', JSON.stringify(token));
    }
    return true;
  };
}

/** Whether a request carries an issued token that is not revoked. */
export function hasToken(request: IncomingMessage, tokens: ReadonlySet<string>): boolean {
  return tokens.has((request.headers.authorization ?? '').replace(/^Bearer /, ''));
}
