import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddressError, RefusedError, UnreachableError } from './errors.ts';

/** The service, and where tokens for it come from. */
export interface Service {
  /** Without a slash at the end. */
  url: string;
  /**
   * Returns an access token; omit it for calls without one.
   * @param isRejected whether the service rejected the last token
   */
  token?(isRejected: boolean): Promise<string>;
}

/** A request, and how often it may be sent. */
export interface ServiceRequest {
  /** Path and query. */
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  timeoutMs?: number;
  /** Whether it may be sent again without knowing whether it arrived. */
  isRepeatable?: boolean;
  /** Time limit for retries; 0 for none. */
  retryMs?: number;
}

const TIMEOUT_MS = 40_000;
/** Largest response that is read into memory; gangway sends no larger ones. */
const ANSWER_BYTES_MAX = 64 * 1_048_576;
const RETRY_TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Statuses after which a request is retried. 409: the first attempt, whose response was lost, is still being processed. */
const RETRYABLE_STATUSES = [409, 429, 502, 503, 504];
/** Why a service cannot be reached, by code or name of the error. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'no server listens on that port (ECONNREFUSED)'],
  ['ENOTFOUND', 'the host name is unknown (ENOTFOUND)'],
  ['TimeoutError', 'no answer arrived in time'],
]);
/** Codes of OpenSSL and Node for a certificate that is not trusted. */
export const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/;

/**
 * Sends a request and returns the response, also of a rejected request. Renews a rejected token, and retries while the service is
 * unavailable or at its limit.
 * @throws AddressError, UnreachableError
 */
export async function exchange(service: Service, request: ServiceRequest): Promise<Response> {
  const until = Date.now() + (request.retryMs ?? RETRY_TIMEOUT_MS);
  let isRejected = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const response = await sendOnce(service, request, isRejected);
      const isNewlyRejected: boolean = response.status === 401 && !isRejected && service.token !== undefined;
      if (!isNewlyRejected && (!RETRYABLE_STATUSES.includes(response.status) || Date.now() >= until)) return response;
      await response.body?.cancel();
      isRejected ||= isNewlyRejected;
      if (!isNewlyRejected) await sleep(retryPauseMs(pause, retryAfterOf(response)));
    } catch (error) {
      // The token may come from the service too.
      const isAway = error instanceof UnreachableError || (error instanceof RefusedError && error.status === 503);
      if (!isAway || request.isRepeatable !== true || Date.now() >= until) throw error;
      await sleep(pause);
    }
  }
}

/**
 * The wait before a retry, in milliseconds: at least the backoff; a longer Retry-After counts up to the time limit of retries.
 * @param backoffMs grows with each attempt
 * @param retryAfter seconds requested by the service
 */
export function retryPauseMs(backoffMs: number, retryAfter: number | undefined): number {
  return Math.max(backoffMs, Math.min((retryAfter ?? 0) * 1_000, RETRY_TIMEOUT_MS));
}

async function sendOnce(service: Service, request: ServiceRequest, isRejected: boolean): Promise<Response> {
  const { path, method = 'GET', headers, body, timeoutMs = TIMEOUT_MS } = request;
  const authorization = service.token && { authorization: `Token ${await service.token(isRejected)}` };
  let response: Response;
  try {
    response = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...headers, ...authorization },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw connectionError(service.url, error);
  }
  const target = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || target === null) return response;
  await response.body?.cancel();
  throw new AddressError(
    `${service.url} redirects to ${URL.parse(target, `${service.url}${path}`)?.origin ?? 'another address'}. The key is not sent there. Set the address of the service itself.`,
  );
}

/**
 * Sends a request and returns the JSON of its response.
 * @throws RefusedError if the service rejects it; AddressError if the response does not come from gangway
 */
export async function exchangeJson<Reply>(service: Service, request: ServiceRequest): Promise<Reply> {
  const response = await accepted(service, await exchange(service, request));
  const body = await readBody(service, response);
  if (response.status === 204 || isComposite(body)) return body as Reply;
  throw new AddressError(`The response of ${service.url} does not come from gangway. Check the address.`);
}

/** Adds an Idempotency-Key: the service executes the request once, so that it may be sent again. */
export function withKey(request: ServiceRequest): ServiceRequest {
  return { ...request, headers: { 'idempotency-key': randomUUID(), ...request.headers }, isRepeatable: true };
}

/** @throws RefusedError if the response rejects the request */
export async function accepted(service: Pick<Service, 'url'>, response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new RefusedError(response.status, await readBody(service, response), retryAfterOf(response));
}

/** Reads the JSON of a response; undefined if it is empty or not JSON. */
export async function readBody({ url }: Pick<Service, 'url'>, response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new AddressError(`${url} answers with more than ${ANSWER_BYTES_MAX} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof AddressError ? error : connectionError(url, error);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Seconds; undefined if the header is missing or not a whole number. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
}

function isComposite(body: unknown): boolean {
  if (Array.isArray(body)) return body.every((one) => one !== null && one !== undefined);
  return typeof body === 'object' && body !== null;
}

function connectionError(url: string, error: unknown): AddressError | UnreachableError {
  const { cause, name } = error as Error & { cause?: { code?: string } };
  const code = cause?.code ?? '';
  if (UNTRUSTED.test(code)) {
    return new AddressError(
      `The certificate of ${url} is not trusted (${code}). If your own certificate authority signed it, set NODE_EXTRA_CA_CERTS to its file.`,
    );
  }
  if (code.startsWith('ERR_SSL')) {
    return new AddressError(`${url} does not use TLS as https:// requires (${code}). Check the port, or use http://.`);
  }
  const why = REASONS.get(code || name) ?? `the connection failed${code === '' ? '' : ` (${code})`}`;
  return new UnreachableError(`gangway cannot be reached at ${url}: ${why}.`, { cause: error });
}
