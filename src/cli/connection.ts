import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Option } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import type { ProfileEnvironment } from './profiles.ts';
import {
  AddressError,
  bodyOf,
  jsonRequest,
  readAnswer,
  refusalError,
  request,
  type Advice,
  type RequestOptions,
} from './http-exchange.ts';

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
export interface Access {
  url: string;
  isOperator: boolean;
  program: string;
  advice: Advice;
  /** The key, as far as the service has described it. */
  key: KeyView;
  /** @param isRejected whether the service rejected the last token */
  token(isRejected: boolean): Promise<string>;
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
  /** Uploads bytes; the request may be sent twice. */
  upload<Reply>(path: string, bytes: Buffer, headers: Record<string, string>): Promise<Reply>;
  /** Opens a long response. */
  download(path: string): Promise<Readable>;
}

const UPLOAD_TIMEOUT_MS = 600_000;
/** Downloads have practically no time limit: if the service is gone, the connection ends. */
const DOWNLOAD_TIMEOUT_MS = 24 * 3_600_000;
/** Time limit for the retries of one call. */
const RETRY_TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Statuses after which the call is retried. 409: the first attempt, whose response was lost, is still being processed. */
const RETRYABLE_STATUSES = [409, 429, 502, 503, 504];

interface Exchange {
  path: string;
  init: RequestOptions;
  /** Whether the request is idempotent, so that it may be sent again without knowing whether it arrived. */
  isRepeatable: boolean;
  retryMs?: number;
}

/** Creates a connection without sending a request. */
export function connectTo(access: Access): Connection {
  const exchange = async (given: Exchange) =>
    bodyOf(await readAnswer(await answered(access, given), access.url, access.advice), access.url) as never;
  return {
    url: access.url,
    isOperator: access.isOperator,
    program: access.program,
    key: access.key,
    send: (method, path, body) =>
      exchange({
        path: path.startsWith('/') ? path : `/v1/operations/${path}`,
        init: jsonRequest(method, body),
        isRepeatable: false,
        retryMs: 0,
      }),
    call: (method, path, body, key = randomUUID()) => {
      // With an Idempotency-Key a call is executed only once.
      const takesKey = method === 'POST' && path.startsWith('/v1/data-import/');
      return exchange({
        path,
        init: jsonRequest(method, body, takesKey ? { 'idempotency-key': key } : {}),
        isRepeatable: method === 'GET' || method === 'PATCH' || body === undefined || takesKey,
      });
    },
    upload: (path, bytes, headers) =>
      exchange({
        path,
        init: { method: 'PUT', headers, body: new Uint8Array(bytes), timeoutMs: UPLOAD_TIMEOUT_MS },
        isRepeatable: true,
      }),
    download: async (path) => {
      const response = await answered(access, { path, init: { timeoutMs: DOWNLOAD_TIMEOUT_MS }, isRepeatable: true });
      return response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
    },
  };
}

/**
 * The wait before a retry, in milliseconds: at least the backoff; a longer Retry-After counts up to the time limit of retries.
 * @param backoffMs grows with each attempt
 * @param retryAfter seconds requested by the service
 */
export function retryPauseMs(backoffMs: number, retryAfter: number | undefined): number {
  return Math.max(backoffMs, Math.min((retryAfter ?? 0) * 1_000, RETRY_TIMEOUT_MS));
}

/** Returns the response of a successful call. Retries while the service is unavailable or at its limit. */
async function answered(
  access: Access,
  { path, init, isRepeatable, retryMs = RETRY_TIMEOUT_MS }: Exchange,
): Promise<Response> {
  const until = Date.now() + retryMs;
  let isRejected = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const headers = { ...init.headers, authorization: `Token ${await access.token(isRejected)}` };
      const response = await request(access.url, path, { ...init, headers }, access.advice);
      if (response.ok) return response;
      const answer = await readAnswer(response, access.url, access.advice);
      if (response.status === 401 && !isRejected) {
        isRejected = true;
        continue;
      }
      if (!RETRYABLE_STATUSES.includes(response.status) || Date.now() >= until) {
        throw refusalError(answer, access.advice);
      }
      await sleep(retryPauseMs(pause, answer.retryAfter));
    } catch (error) {
      const isAway =
        error instanceof CommandError &&
        !(error instanceof AddressError) &&
        error.exitStatus === exitStatuses.unreachable;
      if (!isAway || !isRepeatable || Date.now() >= until) throw error;
      await sleep(pause);
    }
  }
}
