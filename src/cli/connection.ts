import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Option } from 'commander';
import { accepted, exchange, exchangeJson, type Service } from '../../clients/typescript/src/exchange.ts';
import { withAdvice, type Advice } from './http-advice.ts';
import type { ProfileEnvironment } from './profiles.ts';

/** How commands reach a service; operators and suppliers have different ways. */
export interface Surroundings {
  /** How the command line is called, for examples and advice: `gangway`, or `npm run -s cli --`. */
  program: string;
  /** The options that `connect` understands. */
  options: readonly Option[];
  /** The variables that name the configuration. */
  environment(): ProfileEnvironment;
  /**
   * The address that `connect` uses.
   * @throws CommandError if none is known
   */
  findAddress(options: AccessOptions): string;
  /** @param isInputUsed whether standard input contains records, and therefore no key */
  connect(options: AccessOptions, isInputUsed: boolean): Promise<Connection>;
}

export interface AccessOptions {
  profile?: string;
  url?: string;
  keyFile?: string;
  insecure?: true;
}

/** An API key as its tokens describe it. */
interface KeyView {
  id: string | undefined;
  role: string | undefined;
  organisation: string | undefined;
}

/** The service that a command calls, and its credentials. */
export interface Access extends Required<Service> {
  isOperator: boolean;
  program: string;
  advice: Advice;
  /** The key, as far as the service has described it. */
  key: KeyView;
}

/** The HTTP API as commands use it. Every call throws a CommandError with advice if it is rejected. */
export interface Connection extends Pick<Access, 'url' | 'isOperator' | 'program' | 'key'> {
  /** Makes one call below `/v1/operations/`, without retries; a path that begins with a slash is used unchanged. */
  send<Reply>(method: string, path: string, body?: object): Promise<Reply>;
  /**
   * Makes one call and retries temporary failures, for long-running commands.
   * @param key Idempotency-Key of a call that another command may repeat; by default random
   */
  call<Reply>(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object, key?: string): Promise<Reply>;
  /** Calls the service in another way. */
  using<T>(work: (service: Service) => Promise<T>): Promise<T>;
  /** Opens a long response. */
  download(path: string): Promise<Readable>;
}

/** Downloads have practically no time limit: if the service is gone, the connection ends. */
const DOWNLOAD_TIMEOUT_MS = 24 * 3_600_000;

/** Creates a connection without sending a request. */
export function connectTo(access: Access): Connection {
  const { url, isOperator, program, key, advice } = access;
  return {
    url,
    isOperator,
    program,
    key,
    send: (method, path, body) =>
      withAdvice(advice, () =>
        exchangeJson(access, {
          ...jsonRequest(method, body),
          path: path.startsWith('/') ? path : `/v1/operations/${path}`,
          retryMs: 0,
        }),
      ),
    call: (method, path, body, idempotencyKey = randomUUID()) => {
      // With an Idempotency-Key a call is executed only once.
      const takesKey = method === 'POST' && path.startsWith('/v1/data-import/');
      return withAdvice(advice, () =>
        exchangeJson(access, {
          ...jsonRequest(method, body, takesKey ? { 'idempotency-key': idempotencyKey } : {}),
          path,
          isRepeatable: method === 'GET' || method === 'PATCH' || body === undefined || takesKey,
        }),
      );
    },
    using: (work) => withAdvice(advice, () => work(access)),
    download: (path) =>
      withAdvice(advice, async () => {
        const request = { path, timeoutMs: DOWNLOAD_TIMEOUT_MS, isRepeatable: true };
        const { body } = await accepted(access, await exchange(access, request));
        return body === null ? Readable.from([]) : Readable.fromWeb(body);
      }),
  };
}

/** A request with a body in JSON, if there is one. */
function jsonRequest(method: string, body?: object, headers: Record<string, string> = {}) {
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
