import { CommandError, exitStatuses } from './command-error.ts';
import { bodyOf, obtainTokens, readAnswer, refusalError, request, type Advice } from './http-exchange.ts';
import { findLocalService, readSession, withSessionLock, writeSession, type Session } from './session.ts';

/** The HTTP API as commands use it. */
export interface ApiClient {
  /**
   * Makes one call below `/v1/operations/`; a path that begins with a slash is used unchanged.
   * @returns the body of the response
   * @throws CommandError with advice if the call is rejected or the service is unreachable
   */
  call<Answer>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer>;
}

/** A token that expires within this time is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 30;
const LOGIN_AGAIN = 'Log in again: npm run cli -- login';
/** For the command line of operators. */
export const OPERATOR_ADVICE: Advice = {
  unreachable:
    'Check that the service is running (npm start) and that the address is correct. To use another address: npm run cli -- login --url <address>',
  notAuthenticated: `The session is not valid any more. ${LOGIN_AGAIN}`,
  notPermitted: 'The key of this session may not do that. Log in with an operator key: npm run cli -- login',
};

/** Opens the API of the session, or of the running `npm start` without a session. */
export async function openApiClient(): Promise<ApiClient> {
  const { url, token } = await openSession();
  return { call: (method, path, body) => call(url, token, method, path, body) as Promise<never> };
}

/**
 * The session of the last login, renewed if it is about to end, or one of the running `npm start`.
 * @throws CommandError when there is neither
 */
export async function openSession(): Promise<Session> {
  const session = readSession();
  if (session !== undefined) return isEnding(session) ? renew(session) : session;
  const local = findLocalService();
  if (local === undefined) {
    throw new CommandError(
      'You are not logged in, and no service is running here. Log in with `npm run cli -- login --url <address>`, or start the service with `npm start` (DATA_DIR names its folder).',
    );
  }
  return obtainSession(local.url, { APIKey: local.operatorKey });
}

/** Revokes all tokens of a session at its service. */
export async function endSession(session: Session): Promise<void> {
  const query = 'mutation ($token: String!) { revokeToken(input: { refreshToken: $token }) { revoked } }';
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { token: session.refresh_token } }),
  };
  await readAnswer(await request(session.url, '/graphql/', init, OPERATOR_ADVICE), session.url, OPERATOR_ADVICE);
}

/** Obtains a session for a key or a refresh token, without storing it. */
export async function obtainSession(
  url: string,
  input: { APIKey: string } | { refreshToken: string },
): Promise<Session & { role: string }> {
  const tokens = await obtainTokens(url, input, OPERATOR_ADVICE);
  return {
    url,
    token: tokens.token,
    refresh_token: tokens.refreshToken,
    expires_at: tokens.payload.exp,
    role: tokens.payload.role,
  };
}

/** A refresh token can be used once, so a concurrent command uses the session that the first one stored. */
async function renew(session: Session): Promise<Session> {
  return withSessionLock(async () => {
    const stored = readSession() ?? session;
    return stored.token !== session.token && !isEnding(stored) ? stored : renewed(stored);
  });
}

async function renewed(session: Session): Promise<Session> {
  try {
    const next = await obtainSession(session.url, { refreshToken: session.refresh_token });
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
  const init = {
    method,
    headers: { authorization: `Token ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await request(url, path.startsWith('/') ? path : `/v1/operations/${path}`, init, OPERATOR_ADVICE);
  const answer = await readAnswer(response, url, OPERATOR_ADVICE);
  if (answer.status < 300) return bodyOf(answer, url);
  throw refusalError(answer, OPERATOR_ADVICE);
}
