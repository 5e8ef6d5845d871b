import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, exitStatuses } from './command-error.ts';
import { AddressError, bodyOf, readAnswer, refusalError, request, type Advice } from './http-exchange.ts';

/** The service that a command calls, and its credentials. */
export interface Access {
  url: string;
  isOperator: boolean;
  /** How this command line is called, for advice: `gangway`, or `npm run cli --`. */
  program: string;
  advice: Advice;
  /** @param isRejected whether the service rejected the last token */
  token(isRejected: boolean): Promise<string>;
}

/** A service for long-running commands: temporary failures are retried. */
export interface JobConnection extends Pick<Access, 'url' | 'isOperator' | 'program'> {
  /**
   * Makes one call.
   * @throws CommandError with advice if the call is rejected or the service stays unavailable
   */
  call<Reply>(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply>;
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
  init: Omit<RequestInit, 'headers'> & { timeoutMs?: number; headers?: Record<string, string> };
  /** Whether the request is idempotent. */
  isRepeatable: boolean;
}

/** Creates a connection without sending a request. */
export function connectTo(access: Access): JobConnection {
  const exchange = async (request: Exchange) =>
    bodyOf(await readAnswer(await answered(access, request), access.url, access.advice), access.url);
  return {
    url: access.url,
    isOperator: access.isOperator,
    program: access.program,
    call: (method, path, body) =>
      exchange({
        path,
        init: {
          method,
          headers: {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(supportsKey(method, path) ? { 'idempotency-key': randomUUID() } : {}),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        isRepeatable: method === 'GET' || body === undefined || supportsKey(method, path),
      }) as Promise<never>,
    upload: (path, bytes, headers) =>
      exchange({
        path,
        init: { method: 'PUT', headers, body: new Uint8Array(bytes), timeoutMs: UPLOAD_TIMEOUT_MS },
        isRepeatable: true,
      }) as Promise<never>,
    download: async (path) => {
      const response = await answered(access, { path, init: { timeoutMs: DOWNLOAD_TIMEOUT_MS }, isRepeatable: true });
      return response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
    },
  };
}

/** Whether a call takes an Idempotency-Key, with which it is executed only once. */
function supportsKey(method: string, path: string): boolean {
  return method === 'POST' && path.startsWith('/v1/data-import/');
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
async function answered(access: Access, { path, init, isRepeatable }: Exchange): Promise<Response> {
  const until = Date.now() + RETRY_TIMEOUT_MS;
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
      if (!RETRYABLE_STATUSES.includes(response.status) || Date.now() > until) {
        throw refusalError(answer, access.advice);
      }
      await sleep(retryPauseMs(pause, answer.retryAfter));
    } catch (error) {
      const isAway =
        error instanceof CommandError &&
        !(error instanceof AddressError) &&
        error.exitStatus === exitStatuses.unreachable;
      if (!isAway || !isRepeatable || Date.now() > until) throw error;
      await sleep(pause);
    }
  }
}
