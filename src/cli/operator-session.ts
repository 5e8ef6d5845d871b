import { TokenRefusedError } from '../../clients/typescript/src/errors.ts';
import { obtainTokens, revokeTokens } from '../../clients/typescript/src/tokens.ts';
import { assertSafeForKey } from './api-key-input.ts';
import { CommandError } from './command-error.ts';
import { connectTo, type Surroundings } from './connection.ts';
import { withAdvice, type Advice } from './http-advice.ts';
import { connectWithKey } from './key-access.ts';
import { findProfile, keyOfProfile, PROFILE, readEnvironment } from './profiles.ts';
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

const PROFILE_ADVICE: Advice = {
  unreachable: 'Check the address of the profile: profile list.',
  notAuthenticated: 'The API key of the profile is not valid any more. Write another one to its key file.',
  notPermitted: 'The API key of the profile may not do that. Use a profile with an operator key.',
};
const NOT_LOGGED_IN =
  'You are not logged in, and no service is running here. Log in with `npm run cli -- login --url <address>`, or start the service with `npm start` (DATA_DIR names its folder).';

/** Uses a profile, the session of the last login, or the running `npm start`. */
export const operatorSurroundings: Surroundings = {
  program: PROGRAM,
  options: [PROFILE],
  environment: readEnvironment,
  findAddress: (options) => {
    const url = (findProfile(options, readEnvironment()) ?? readSession() ?? findLocalService())?.url;
    if (url === undefined) throw new CommandError(NOT_LOGGED_IN);
    return url;
  },
  connect: async (options) => {
    const profile = findProfile(options, readEnvironment());
    if (profile !== undefined) {
      assertSafeForKey(profile.url, false);
      const { url } = profile;
      return connectWithKey({ url, key: keyOfProfile(profile), program: PROGRAM, advice: PROFILE_ADVICE });
    }
    let session = await withAdvice(ADVICE, openSession);
    return connectTo({
      url: session.url,
      isOperator: session.role !== 'supplier',
      program: PROGRAM,
      advice: ADVICE,
      key: { id: session.key_id, role: session.role, organisation: session.organisation },
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
  if (local === undefined) throw new CommandError(NOT_LOGGED_IN);
  return obtainSession(local.url, { APIKey: local.operatorKey });
}

/** Revokes all tokens of a session at its service. */
export async function endSession({ url, refresh_token: token }: Session): Promise<void> {
  await withAdvice(ADVICE, () => revokeTokens(url, token));
}

/** Logs in with a key, without storing the session. */
export async function sessionOfKey(url: string, key: string): Promise<Session> {
  return withAdvice(ADVICE, () => obtainSession(url, { APIKey: key }));
}

/** Obtains a session for a key or a refresh token. @throws errors of the client, so that a call can be retried */
async function obtainSession(url: string, input: { APIKey: string } | { refreshToken: string }): Promise<Session> {
  const { token, refreshToken, payload } = await obtainTokens(url, input);
  const { exp, role, sub, organisation } = payload;
  return { url, token, refresh_token: refreshToken, expires_at: exp, role, key_id: sub, organisation };
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
    throw error instanceof TokenRefusedError ? new CommandError(`The session has ended. ${LOGIN_AGAIN}`) : error;
  }
}

function isEnding(session: Session): boolean {
  return !(session.expires_at - Date.now() / 1_000 > RENEWED_BEFORE_END_SECONDS);
}
