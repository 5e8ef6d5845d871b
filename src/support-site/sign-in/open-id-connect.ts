import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import type { Person } from '../../access/index.ts';
import { systemClock, type Clock } from '../../platform/clock.ts';
import type { CurrentSecret } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { ownMember } from '../../foundation/table.ts';
import { roleIn } from './provider-roles.rules.ts';

/** The path that the provider redirects to. */
export const CALLBACK_PATH = '/sign-in/callback';
/** Timeout of a request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Tolerated difference between the clocks of the provider and this service. */
const CLOCK_SKEW_SECONDS = 60;

/** The state that the browser keeps during the sign-in at the provider. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Path to open after the sign-in. */
  to: string;
}

/** Sign-in with a provider of OpenID Connect. */
export type OpenIdConnect = ReturnType<typeof openIdConnect>;

type Needed = Record<'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'SUPPORT_SITE_URL', string>;

/**
 * Creates the client of the provider, which loads the addresses of the provider at the first sign-in.
 * @param secret client secret of the support site
 */
export function openIdConnect(settings: Settings & Needed, secret: CurrentSecret, clock: Clock = systemClock) {
  const issuer = new URL(settings.OIDC_ISSUER);
  const redirectUri = new URL(CALLBACK_PATH, settings.SUPPORT_SITE_URL).href;
  let known: { by: string; found: Promise<Configuration> } | undefined;
  const configuration = () => {
    const by = secret.value() ?? '';
    if (known?.by === by) return known.found;
    const found = discover(settings, issuer, by).catch((error: unknown) => {
      // The next sign-in tries again.
      known = undefined;
      throw error;
    });
    known = { by, found };
    return found;
  };
  return {
    /** The name of the provider. */
    name: issuer.host,
    /** Starts a sign-in: the address of the provider, and the state to keep. */
    begin: async (to: string): Promise<{ address: string; attempt: Attempt }> => {
      const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), to };
      const address = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: settings.OIDC_SCOPE,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, attempt };
    },
    /** Completes a sign-in by the query of the redirect by the provider. */
    finish: async (query: string, { state, nonce, verifier }: Attempt): Promise<Person | Refused> => {
      // The provider would use up the code, and the person would have to start again.
      await secret.readAgain();
      const provider = await configuration();
      const tokens = await authorizationCodeGrant(provider, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      if (claims.iat > clock.now().getTime() / 1_000 + CLOCK_SKEW_SECONDS) {
        return refuse('permission_denied', {
          detail:
            'The ID token was issued in the future. Compare the clocks of the identity provider and the support site.',
        });
      }
      const hasRoles = ownMember(claims, settings.OIDC_ROLE_CLAIM) !== undefined;
      const more = hasRoles ? {} : await fetchUserInfo(provider, tokens.access_token, claims.sub);
      return personOf({ ...more, ...claims }, settings);
    },
  };
}

async function discover(settings: Needed, issuer: URL, secret: string): Promise<Configuration> {
  // http only on this machine; the settings reject anything else.
  const execute = [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])];
  const options = { execute, timeout: TIMEOUT_SECONDS };
  return discovery(issuer, settings.OIDC_CLIENT_ID, secret, undefined, options);
}

function personOf(
  claims: Record<string, unknown> & { iss: string; sub: string },
  settings: Settings,
): Person | Refused {
  const held = roleIn(ownMember(claims, settings.OIDC_ROLE_CLAIM), settings.OIDC_ROLES);
  if (held === undefined) {
    return refuse('permission_denied', {
      detail: `The identity provider did not assign you a role of this site (claim ${settings.OIDC_ROLE_CLAIM}). Ask an administrator.`,
    });
  }
  const told = [claims['name'], claims['email'], claims['preferred_username']].filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  const name = [...new Set(told.slice(0, 2))].join(', ') || claims.sub;
  return { subject: `${claims.iss}|${claims.sub}`, name, ...held };
}
