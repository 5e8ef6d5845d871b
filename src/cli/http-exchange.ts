import { CommandError, exitStatuses } from './command-error.ts';

/** What a refused or failed call tells the user to do; it depends on which command line is used. */
export interface Advice {
  /** After an address that does not answer. */
  unreachable: string;
  /** After a token or key that is not taken. */
  notAuthenticated: string;
  /** After a call that the key may not make. */
  notPermitted: string;
}

export interface Answer {
  status: number;
  body: unknown;
  retryAfter: string | null;
}

/** What a service gives for a key. */
export interface Tokens {
  token: string;
  refreshToken: string;
  payload: { exp: number; role: string };
}

const TIMEOUT_MS = 40_000;
const OBTAIN =
  'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken payload } }';

/**
 * Makes one request and leaves the body of the answer unread.
 * @throws CommandError when the service cannot be reached
 */
export async function request(
  url: string,
  path: string,
  init: RequestInit & { timeoutMs?: number },
  advice: Advice,
): Promise<Response> {
  try {
    return await fetch(new URL(path, url), {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(init.timeoutMs ?? TIMEOUT_MS),
    });
  } catch {
    throw unreachable(url, advice);
  }
}

/** Reads an answer whole. */
export async function readAnswer(response: Response, url: string, advice: Advice): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text().catch(() => {
    throw unreachable(url, advice);
  });
  return { status, body: text === '' ? undefined : parsed(text), retryAfter: headers.get('retry-after') };
}

function unreachable(url: string, advice: Advice): CommandError {
  return new CommandError(`gangway cannot be reached at ${url}. ${advice.unreachable}`, exitStatuses.unreachable);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Obtains tokens for a key or a refresh token. */
export async function obtainTokens(
  url: string,
  input: { APIKey: string } | { refreshToken: string },
  advice: Advice,
): Promise<Tokens> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: OBTAIN, variables: { input } }),
  };
  const answer = await readAnswer(await request(url, '/graphql/', init, advice), url, advice);
  const { data, errors } = (answer.body ?? {}) as {
    data?: { obtainToken?: Tokens | null };
    errors?: { message: string; extensions?: { errorDescription?: string } }[];
  };
  const tokens = data?.obtainToken;
  if (tokens) return tokens;
  if (answer.status === 503 || answer.status === 429) throw refusalError(answer, advice);
  const why = errors?.[0]?.extensions?.errorDescription ?? errors?.[0]?.message;
  if (why === undefined) {
    throw new CommandError(`${url} does not answer as gangway does (status ${answer.status}). Check the address.`);
  }
  throw new CommandError(`No token was given: ${why}`);
}

/** Says what was refused, where, and what to do next. */
export function refusalError({ status, body, retryAfter }: Answer, advice: Advice): CommandError {
  const {
    detail,
    errors = [],
    request_id: requestId,
  } = (body ?? {}) as { detail?: string; errors?: { attr: string; detail: string }[]; request_id?: string };
  const again = retryAfter === null ? 'Try again in a moment.' : `Try again in ${retryAfter} s.`;
  const said = detail ?? `The service answered with status ${status}.`;
  if (status === 401) return new CommandError(advice.notAuthenticated);
  if (status === 403) return new CommandError(advice.notPermitted);
  if (status === 429) return new CommandError(`${said} ${again}`);
  if (status === 503) return new CommandError(`${said} ${again}`, exitStatuses.unreachable);
  if (status >= 500) return new CommandError(`${said} Report it with the request id ${requestId ?? '(none)'}.`);
  return new CommandError([said, ...errors.map((one) => `  ${one.attr}: ${one.detail}`)].join('\n'));
}
