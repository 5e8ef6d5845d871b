import type { Context } from 'koa';
import {
  createTokenTries,
  isTokenRefusal,
  type IdentifiedKey,
  type Person,
  type TokenRequest,
} from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { openIdConnect, type OpenIdConnect } from './open-id-connect.ts';
import { roleOfScope } from '../../vocabulary/key-roles.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** A route outside of the pages, which need a session. */
export interface SignInRoute {
  method: 'GET' | 'POST';
  path: string;
  answer(ctx: Context): Promise<void>;
}

/** The available ways to sign in. */
export interface SignInWays {
  /** With an operator key. */
  byKey: ((secret: string, from: { network: string; requestId: string }) => Promise<Person | Refused>) | undefined;
  /** With a provider of OpenID Connect. */
  provider: OpenIdConnect | undefined;
}

interface WaysDeps {
  settings: Settings;
  secrets: Secrets;
  database: Database;
  log: Log;
}

export function signInWays(deps: WaysDeps): SignInWays {
  const { settings, secrets } = deps;
  return {
    byKey: settings.SUPPORT_SITE_KEY_SIGN_IN ? signInByKey(deps) : undefined,
    provider: namesProvider(settings) ? openIdConnect(settings, secrets.of('OIDC_CLIENT_SECRET')) : undefined,
  };
}

/** Validation of the settings ensures that all of them are set. */
function namesProvider(settings: Settings): settings is Parameters<typeof openIdConnect>[0] {
  return settings.OIDC_ISSUER !== undefined;
}

function signInByKey({ database, log }: WaysDeps): NonNullable<SignInWays['byKey']> {
  // The same check and limit of failed attempts as for tokens.
  const tries = createTokenTries({ database, log, onIssued: () => {} });
  return async (secret, from) => {
    const request: TokenRequest = { ...from, hasTried: false };
    const holder = await tries.identify(secret, request);
    if (request.retryAfterSeconds !== undefined) {
      return refuse('throttled', {
        detail: 'Too many failed attempts with this key or from this address. Retry after a minute.',
        retryAfterSeconds: request.retryAfterSeconds,
      });
    }
    if (holder === 'service_unavailable') return refuse('service_unavailable', { retryAfterSeconds: 5 });
    return isTokenRefusal(holder) ? keyRefused() : personOf(holder);
  };
}

function keyRefused(): Refused {
  return refuse('permission_denied', { detail: 'This is not a valid operator key.' });
}

/** The role of a person with the scope of their operator key. */
function personOf({ keyId, organisation, keyName, role, scope }: IdentifiedKey): Person | Refused {
  if (role !== 'operator' || scope === 'market_messages') return keyRefused();
  return { subject: `api-keys/${keyId}`, name: `${organisation} / ${keyName}`, role: roleOfScope(scope), keyId };
}
