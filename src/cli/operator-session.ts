import { CommandError, exitStatuses } from './command-error.ts';
import { connectTo, type Surroundings } from './connection.ts';
import { graphql, obtainTokens, type Advice } from './http-exchange.ts';
import { findLocalService, readSession, withSessionLock, writeSession, type Session } from './session.ts';

/** How operators call the command line. `-s` keeps two lines of npm out of redirected output. */
export const PROGRAM = 'npm run -s cli --';
/** A token that expires within this time is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 30;
const LOGIN_AGAIN = 'Log in again: npm run cli -- login';
const ADVICE: Advice = {
  unreachable:
    'Check that the service is running (npm start) and that the address is correct. To use another address: npm run cli -- login --url <address>',
  notAuthenticated: `The session is not valid any more. ${LOGIN_AGAIN}`,
  notPermitted: 'The key of this session may not do that. Log in with an operator key: npm run cli -- login',
};

/** Uses the session of the last login, or the running `npm start`. */
export const operatorSurroundings: Surroundings = {
  program: PROGRAM,
  options: [],
  connect: async () => {
    let session = await openSession();
    return connectTo({
      url: session.url,
      isOperator: session.role !== 'supplier',
      program: PROGRAM,
      advice: ADVICE,
      token: async (isRejected) => {
        if (isRejected || isEnding(session)) session = await openSession();
        return session.token;
      },
    });
  },
};

/**
 * The session of the last login, renewed if it is about to end, or one of the running `npm start`.
 * @throws CommandError when there is neither
 */
async function openSession(): Promise<Session> {
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
export async function endSession({ url, refresh_token: token }: Session): Promise<void> {
  const query = 'mutation ($token: String!) { revokeToken(input: { refreshToken: $token }) { revoked } }';
  await graphql(url, query, { token }, ADVICE);
}

/** Obtains a session for a key or a refresh token, without storing it. */
export async function obtainSession(
  url: string,
  input: { APIKey: string } | { refreshToken: string },
): Promise<Session> {
  const { token, refreshToken, payload } = await obtainTokens(url, input, ADVICE);
  return { url, token, refresh_token: refreshToken, expires_at: payload.exp, role: payload.role };
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
