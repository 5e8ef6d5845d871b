import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, exitStatuses } from './command-error.ts';
import { AddressError, bodyOf, readAnswer, refusalError, request, type Advice } from './http-exchange.ts';

/** Whom a command asks, and as whom. */
export interface Access {
  url: string;
  isOperator: boolean;
  /** How this command line is called, for advice: `gangway`, or `npm run cli --`. */
  program: string;
  advice: Advice;
  /** @param isRejected the last one was not taken any more */
  token(isRejected: boolean): Promise<string>;
}

/** A service as long-running commands use it: temporary failures are retried. */
export interface JobConnection extends Pick<Access, 'url' | 'isOperator' | 'program'> {
  /**
   * Makes one call.
   * @throws CommandError with what to do, when it was refused or the service stays away
   */
  call<Reply>(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply>;
  /** Sends bytes; the call may be sent twice. */
  upload<Reply>(path: string, bytes: Buffer, headers: Record<string, string>): Promise<Reply>;
  /** Opens a long answer. */
  download(path: string): Promise<Readable>;
}

const UPLOAD_TIMEOUT_MS = 600_000;
/** A download may take as long as it takes; a service that is gone ends its connection. */
const DOWNLOAD_TIMEOUT_MS = 24 * 3_600_000;
/** Retries of one call end after this. */
const RETRY_TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Statuses after which the call is retried. 409: the first attempt, whose response was lost, is still being processed. */
const RETRYABLE_STATUSES = [409, 429, 502, 503, 504];

interface Exchange {
  path: string;
  init: Omit<RequestInit, 'headers'> & { timeoutMs?: number; headers?: Record<string, string> };
  /** Sent twice it does what it does once. */
  isRepeatable: boolean;
}

/** Opens a connection; nothing is asked yet. */
export function connectTo(access: Access): JobConnection {
  const exchange = async (asked: Exchange) =>
    bodyOf(await readAnswer(await answered(access, asked), access.url, access.advice), access.url);
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
            ...(takesKey(method, path) ? { 'idempotency-key': randomUUID() } : {}),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        isRepeatable: method === 'GET' || body === undefined || takesKey(method, path),
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

/** With an Idempotency-Key a call is executed once, however often it is sent. */
function takesKey(method: string, path: string): boolean {
  return method === 'POST' && path.startsWith('/v1/data-import/');
}

/**
 * How long to wait before a retry, in milliseconds: at least the backoff, at most the time after which retries end.
 * @param backoffMs grows with each attempt
 * @param retryAfter seconds that the service asks for
 */
export function retryPauseMs(backoffMs: number, retryAfter: number | undefined): number {
  return Math.max(backoffMs, Math.min((retryAfter ?? 0) * 1_000, RETRY_TIMEOUT_MS));
}

/** The answer to a call that succeeded. Retries while the service is away or at its limit. */
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
