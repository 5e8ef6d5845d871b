import type { Context } from 'koa';
import { loggedFault } from '../../platform/log.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { pathWithin } from '../frame/form-checks.ts';
import { CALLBACK_PATH, type Attempt, type OpenIdConnect } from './open-id-connect.ts';
import { redirect, type PageServer } from '../frame/serve-page.ts';
import { withKnownSuppliers, type SignInRoute } from './sign-in-ways.ts';

/** Time limit of a sign-in at the provider. */
const ATTEMPT_SECONDS = 600;

/**
 * The two steps of a sign-in at a provider: the redirect to it, and the return.
 * @param showRefused shows the sign-in page with an error
 */
export function providerRoutes(
  server: PageServer,
  provider: OpenIdConnect,
  showRefused: (ctx: Context, refused: Refused) => void,
): SignInRoute[] {
  const cookie = server.origin?.startsWith('https:') ? '__Host-gangway-sign-in' : 'gangway-sign-in';
  const keep = (ctx: Context, value: string, seconds: number) => {
    const secure = server.origin?.startsWith('https:') ? '; Secure' : '';
    ctx.append('set-cookie', `${cookie}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
  };
  const failed = (ctx: Context, error: unknown): void => {
    server.deps.log.warn(
      { requestId: ctx.state['requestId'], fault: loggedFault(error) },
      'sign-in at the identity provider failed',
    );
    showRefused(ctx, refusalOf(error));
  };
  const begin = async (ctx: Context): Promise<void> => {
    try {
      const { address, attempt } = await provider.begin(pathWithin(new URLSearchParams(ctx.querystring).get('to')));
      keep(ctx, Buffer.from(JSON.stringify(attempt)).toString('base64url'), ATTEMPT_SECONDS);
      redirect(ctx, address);
    } catch (error) {
      failed(ctx, error);
    }
  };
  const finish = async (ctx: Context): Promise<void> => {
    const attempt = attemptIn(ctx.cookies.get(cookie));
    keep(ctx, '', 0);
    if (attempt === undefined) return showRefused(ctx, notBegun());
    try {
      const person = await withKnownSuppliers(await provider.finish(ctx.querystring, attempt), server.deps.suppliers);
      if (isRefused(person)) return showRefused(ctx, person);
      await server.sessions.begin(ctx, person, 'openid-connect');
      redirect(ctx, pathWithin(attempt.to));
    } catch (error) {
      failed(ctx, error);
    }
  };
  return [
    { method: 'GET', path: '/sign-in/provider', answer: begin },
    { method: 'GET', path: CALLBACK_PATH, answer: finish },
  ];
}

function attemptIn(kept: string | undefined): Attempt | undefined {
  try {
    const found = JSON.parse(Buffer.from(kept ?? '', 'base64url').toString('utf8')) as Partial<Attempt> | null;
    const members = [found?.state, found?.nonce, found?.verifier, found?.to];
    return members.every((one) => typeof one === 'string' && one !== '') ? (found as Attempt) : undefined;
  } catch {
    return undefined;
  }
}

function notBegun(): Refused {
  return refuse('permission_denied', {
    detail: 'The sign-in was not started in this browser, or it expired. Start again.',
  });
}

/** The failure of the provider, without its text, which is not trusted. */
function refusalOf(error: unknown): Refused {
  const { name, code } = error as Error & { code?: unknown };
  if (name === 'AuthorizationResponseError') {
    return refuse('permission_denied', { detail: 'The identity provider rejected the sign-in.' });
  }
  // Errors of fetch without an answer, and of the library after a timeout.
  const isAway = name === 'TypeError' || code === 'OAUTH_TIMEOUT';
  return isAway
    ? refuse('service_unavailable', {
        detail: 'The identity provider is unavailable. Retry after 5 seconds.',
        retryAfterSeconds: 5,
      })
    : refuse('permission_denied', {
        detail: 'The response of the identity provider does not match this sign-in. Start again.',
      });
}
