import { tableOf } from '../foundation/table.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/** Advice after a rejected or failed call; it depends on the command line in use. */
export interface Advice {
  /** If the address does not respond. */
  unreachable: string;
  /** If the token or key is rejected. */
  notAuthenticated: string;
  /** If the key may not make the call. */
  notPermitted: string;
}

export interface Answer {
  status: number;
  body: unknown;
  /** Seconds; undefined if the header is missing or not a whole number. */
  retryAfter: number | undefined;
}

/** The address or the network is set up wrongly, so that retrying does not help. */
export class AddressError extends CommandError {
  constructor(message: string) {
    super(message, exitStatuses.unreachable);
  }
}

/** The tokens that a service issues for a key. */
export interface Tokens {
  token: string;
  refreshToken: string;
  payload: { exp: number; role: string; sub: string; organisation: string };
}

const TIMEOUT_MS = 40_000;
/** Largest response that is read into memory; gangway sends no larger ones. */
const ANSWER_BYTES_MAX = 64 * 1_048_576;
/** Why a service cannot be reached, by code or name of the error. */
const REASONS = tableOf({
  ECONNREFUSED: 'no server listens on that port (ECONNREFUSED)',
  ENOTFOUND: 'the host name is unknown (ENOTFOUND)',
  TimeoutError: 'no answer arrived in time',
});
/** Codes of OpenSSL and Node for a certificate that is not trusted. */
export const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/;
const OBTAIN =
  'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken payload } }';

/** A request as `fetch` takes it, with its time limit and the headers as an object. */
export interface RequestOptions extends Omit<RequestInit, 'headers'> {
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** A request with a body in JSON, if there is one. */
export function jsonRequest(method: string, body?: object, headers: Record<string, string> = {}): RequestOptions {
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/**
 * Makes one request, without reading the body of the response.
 * @throws CommandError if the service cannot be reached
 */
export async function request(url: string, path: string, init: RequestOptions, advice: Advice): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(init.timeoutMs ?? TIMEOUT_MS),
    });
  } catch (error) {
    throw unreachable(url, advice, error);
  }
  const target = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || target === null) return response;
  await response.body?.cancel();
  throw new AddressError(
    `${url} redirects to ${URL.parse(target, `${url}${path}`)?.origin ?? 'another address'}. The key is not sent there. Set the address of the service itself.`,
  );
}

/** Reads a response with its body. */
export async function readAnswer(response: Response, url: string, advice: Advice): Promise<Answer> {
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new AddressError(`${url} answers with more than ${ANSWER_BYTES_MAX} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreachable(url, advice, error);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const seconds = headers.get('retry-after') ?? '';
  return {
    status,
    body: text === '' ? undefined : parsed(text),
    retryAfter: /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined,
  };
}

/**
 * Returns the body of a successful response.
 * @throws CommandError if it is neither an object nor a list: another server must have responded
 */
export function bodyOf({ status, body }: Answer, url: string): unknown {
  if (status === 204 || isComposite(body)) return body;
  throw new AddressError(`The response of ${url} does not come from gangway. Check the address.`);
}

function isComposite(body: unknown): boolean {
  if (Array.isArray(body)) return body.every((one) => one !== null && one !== undefined);
  return typeof body === 'object' && body !== null;
}

function unreachable(url: string, advice: Advice, error: unknown): CommandError {
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
  return new CommandError(
    `gangway cannot be reached at ${url}: ${why}. ${advice.unreachable}`,
    exitStatuses.unreachable,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes one call of the GraphQL endpoint. */
export async function graphql(url: string, query: string, variables: object, advice: Advice): Promise<Answer> {
  const response = await request(url, '/graphql/', jsonRequest('POST', { query, variables }), advice);
  return readAnswer(response, url, advice);
}

/** Obtains tokens for a key or a refresh token. */
export async function obtainTokens(
  url: string,
  input: { APIKey: string } | { refreshToken: string },
  advice: Advice,
): Promise<Tokens> {
  const answer = await graphql(url, OBTAIN, { input }, advice);
  const { data, errors } = (answer.body ?? {}) as {
    data?: { obtainToken?: Tokens | null };
    errors?: { message: string; extensions?: { errorDescription?: string } }[];
  };
  const tokens = data?.obtainToken;
  if (typeof tokens?.token === 'string' && typeof tokens.payload?.exp === 'number') return tokens;
  if (answer.status === 503 || answer.status === 429) throw refusalError(answer, advice);
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const why = first?.extensions?.errorDescription ?? first?.message;
  if (why === undefined) {
    throw new CommandError(`${url} does not respond like gangway (status ${answer.status}). Check the address.`);
  }
  throw new CommandError(`The service did not issue a token: ${why}`);
}

/** Describes what was rejected, where, and what to do next. */
export function refusalError({ status, body, retryAfter }: Answer, advice: Advice): CommandError {
  const {
    detail,
    errors = [],
    request_id: requestId,
  } = (body ?? {}) as { detail?: string; errors?: { attr: string; detail: string }[]; request_id?: string };
  const again = retryAfter === undefined ? 'Try again in a moment.' : `Try again in ${retryAfter} s.`;
  const sentence = detail ?? `The service answered with status ${status}.`;
  if (status === 401) return new CommandError(advice.notAuthenticated);
  if (status === 403) return new CommandError(advice.notPermitted);
  if (status === 429) return new CommandError(`${sentence} ${again}`);
  if (status === 503) return new CommandError(`${sentence} ${again}`, exitStatuses.unreachable);
  if (status >= 500) return new CommandError(`${sentence} Report it with the request id ${requestId ?? '(none)'}.`);
  return new CommandError(
    [sentence, ...(Array.isArray(errors) ? errors : []).map((one) => `  ${one?.attr}: ${one?.detail}`)].join('\n'),
  );
}
