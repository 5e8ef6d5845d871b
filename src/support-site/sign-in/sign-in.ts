import type { Context } from 'koa';
import { clientNetwork } from '../../platform/http/client-network.ts';
import { isRefused, refusals, type Refused, refuse } from '../../vocabulary/refusals.ts';
import { pathWithin } from '../frame/form-checks.ts';
import { form, type Field } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { checkForm, formOf, redirect, type PageServer } from '../frame/serve-page.ts';
import { type SignInRoute, type SignInWays, withKnownSuppliers } from './sign-in-ways.ts';
import { loggedFault } from '../../platform/log.ts';
import { CALLBACK_PATH, type Attempt, type OpenIdConnect } from './open-id-connect.ts';

/** Sign-in and sign-out. */
export function signInRoutes(server: PageServer, ways: SignInWays): SignInRoute[] {
  return [
    { method: 'GET', path: '/sign-in', answer: async (ctx) => showForm(ctx, server, ways) },
    { method: 'POST', path: '/sign-in', answer: (ctx) => signInByKey(ctx, server, ways) },
    { method: 'POST', path: '/sign-out', answer: (ctx) => signOut(ctx, server) },
    ...(ways.provider === undefined
      ? []
      : providerRoutes(server, ways.provider, (ctx, refused) => showForm(ctx, server, ways, refused))),
  ];
}

async function signInByKey(ctx: Context, server: PageServer, ways: SignInWays): Promise<void> {
  // Before sign-in a form has no token, so the origin is checked instead.
  checkForm(ctx, server, undefined);
  if (ways.byKey === undefined) return showForm(ctx, server, ways);
  const sent = formOf(ctx);
  const person = await ways.byKey((sent.get('key') ?? '').trim(), {
    network: clientNetwork(ctx.ip),
    requestId: ctx.state['requestId'] as string,
  });
  if (isRefused(person)) return showForm(ctx, server, ways, person);
  await server.sessions.begin(ctx, person, 'key');
  redirect(ctx, pathWithin(sent.get('to')));
}

async function signOut(ctx: Context, server: PageServer): Promise<void> {
  const session = await server.sessions.find(ctx, false);
  if (session !== undefined) {
    ctx.state['session'] = session;
    checkForm(ctx, server, session);
    await server.sessions.end(ctx, session);
  }
  // Clears the pages that the browser has cached.
  ctx.set('clear-site-data', '"cache", "storage"');
  redirect(ctx, '/sign-in?out');
}

function showForm(ctx: Context, server: PageServer, ways: SignInWays, refused?: Refused): void {
  if (refused?.retryAfterSeconds !== undefined) ctx.set('retry-after', String(refused.retryAfterSeconds));
  server.showPage(ctx, refused === undefined ? 200 : refusals[refused.code].status, {
    title: t('Sign in'),
    body: formBody(ctx, ways, refused),
  });
}

function formBody(ctx: Context, ways: SignInWays, refused: Refused | undefined): Html {
  const to = pathWithin(new URLSearchParams(ctx.querystring).get('to') ?? formOf(ctx).get('to'));
  return html`
    ${ctx.querystring === 'out' && html`<p class="flash flash-done" role="status">${t('You are signed out.')}</p>`}
    ${
      refused !== undefined &&
      html`<p class="flash flash-problem" role="alert">
        ${translated(refused.detail ?? refusals[refused.code].sentence)}
      </p>`
    }
    ${
      ways.provider !== undefined &&
      html`<p>
        <a class="button" href="/sign-in/provider?to=${encodeURIComponent(to)}"
          >${t('Sign in with {provider}', { provider: ways.provider.name })}</a
        >
      </p>`
    }
    ${ways.byKey !== undefined && keyForm(to)}
    ${
      ways.byKey === undefined &&
      ways.provider === undefined &&
      html`<p class="nothing">
        ${t('Sign-in is disabled: neither OpenID Connect nor sign-in with a key is configured in the settings of the support site.')}
      </p>`
    }
  `;
}

function keyForm(to: string): Html {
  const key: Field = {
    label: t('Key of an operator or a supplier'),
    name: 'key',
    type: 'password',
    autocomplete: 'off',
    required: true,
  };
  const fields = [{ ...key, autofocus: true }];
  return form({ formToken: html`` }, { action: '/sign-in', hidden: { to }, fields, button: t('Sign in') });
}

/** Time limit of a sign-in at the provider. */
const ATTEMPT_SECONDS = 600;

/**
 * The two steps of a sign-in at a provider: the redirect to it, and the return.
 * @param showRefused shows the sign-in page with an error
 */
function providerRoutes(
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
