import { CommandError, exitStatuses } from './command-error.ts';
import { findLocalService, readSession, withSessionLock, writeSession, type Session } from './session.ts';

/** The HTTP API as commands use it. */
export interface ApiClient {
  /**
   * One call below `/v1/operations/`; a path that begins with a slash is taken whole.
   * @returns the body of the answer
   * @throws CommandError with what to do when it was refused or the service cannot be reached
   */
  call<Answer>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer>;
}

interface Tokens {
  token: string;
  refreshToken: string;
  payload: { exp: number; role: string };
}

const TIMEOUT_MS = 40_000;
/** A token that ends this soon is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 30;
const OBTAIN =
  'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken payload } }';

const LOGIN_AGAIN = 'Log in again: npm run cli -- login';

/** Opens the API of the session, or of the running `npm start` when nobody is logged in. */
export async function openApiClient(): Promise<ApiClient> {
  let session = readSession();
  if (session === undefined) {
    const local = findLocalService();
    if (local === undefined) {
      throw new CommandError(
        'Nobody is logged in and no service runs here. Log in with `npm run cli -- login --url <address>`, or start the service with `npm start` (DATA_DIR names its folder).',
      );
    }
    session = await obtainSession(local.url, { APIKey: local.operatorKey });
  } else if (isEnding(session)) session = await renew(session);
  const { url, token } = session;
  return { call: (method, path, body) => call(url, token, method, path, body) as Promise<never> };
}

/** Ends a session at its service: all of its tokens. */
export async function endSession(session: Session): Promise<void> {
  const query = 'mutation ($token: String!) { revokeToken(input: { refreshToken: $token }) { revoked } }';
  await send(session.url, '/graphql/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { token: session.refresh_token } }),
  });
}

/** A new session for a key; nothing is stored. */
export async function obtainSession(
  url: string,
  input: { APIKey: string } | { refreshToken: string },
): Promise<Session & { role: string }> {
  const answer = await send(url, '/graphql/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: OBTAIN, variables: { input } }),
  });
  const { data, errors } = (answer.body ?? {}) as {
    data?: { obtainToken?: Tokens | null };
    errors?: { message: string; extensions?: { errorDescription?: string } }[];
  };
  const tokens = data?.obtainToken;
  if (!tokens) {
    const why = errors?.[0]?.extensions?.errorDescription ?? errors?.[0]?.message;
    if (why === undefined) {
      throw new CommandError(`${url} does not answer as gangway does (status ${answer.status}). Check the address.`);
    }
    throw new CommandError(`No token was given: ${why}`);
  }
  return {
    url,
    token: tokens.token,
    refresh_token: tokens.refreshToken,
    expires_at: tokens.payload.exp,
    role: tokens.payload.role,
  };
}

/** A refresh token serves once: the command that comes second takes the session that the first has stored. */
async function renew(session: Session): Promise<Session> {
  return withSessionLock(async () => {
    const stored = readSession() ?? session;
    return stored.token !== session.token && !isEnding(stored) ? stored : renewed(stored);
  });
}

async function renewed(session: Session): Promise<Session> {
  try {
    const { role: _role, ...next } = await obtainSession(session.url, { refreshToken: session.refresh_token });
    writeSession(next);
    return next;
  } catch (error) {
    if (error instanceof CommandError && error.exitStatus === exitStatuses.failed) {
      throw new CommandError(`The session has ended. ${LOGIN_AGAIN}`);
    }
    throw error;
  }
}

function isEnding(session: Session): boolean {
  return !(session.expires_at - Date.now() / 1_000 > RENEWED_BEFORE_END_SECONDS);
}

async function call(
  url: string,
  token: string,
  method: string,
  path: string,
  body: object | undefined,
): Promise<unknown> {
  const answer = await send(url, path.startsWith('/') ? path : `/v1/operations/${path}`, {
    method,
    headers: { authorization: `Token ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status < 300) return answer.body;
  throw refusalError(answer);
}

interface Answer {
  status: number;
  body: unknown;
  retryAfter: string | null;
}

async function send(url: string, path: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(new URL(path, url), {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : parsed(text),
      retryAfter: response.headers.get('retry-after'),
    };
  } catch {
    throw new CommandError(
      `gangway cannot be reached at ${url}. Check that it runs (npm start) and that the address is right; another one is set with: npm run cli -- login --url <address>`,
      exitStatuses.unreachable,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says what was refused, where, and what to do next. */
function refusalError({ status, body, retryAfter }: Answer): CommandError {
  const {
    detail,
    errors = [],
    request_id: requestId,
  } = (body ?? {}) as { detail?: string; errors?: { attr: string; detail: string }[]; request_id?: string };
  const again = retryAfter === null ? 'Try again in a moment.' : `Try again in ${retryAfter} s.`;
  const said = detail ?? `The service answered with status ${status}.`;
  if (status === 401) return new CommandError(`The session is not valid any more. ${LOGIN_AGAIN}`);
  if (status === 403) {
    return new CommandError(
      'The key of this session may not do that. Log in with an operator key: npm run cli -- login',
    );
  }
  if (status === 429) return new CommandError(`${said} ${again}`);
  if (status === 503) return new CommandError(`${said} ${again}`, exitStatuses.unreachable);
  if (status >= 500) return new CommandError(`${said} Report it with the request id ${requestId ?? '(none)'}.`);
  return new CommandError([said, ...errors.map((one) => `  ${one.attr}: ${one.detail}`)].join('\n'));
}
