import type { Context } from 'koa';
import { clientNetwork } from '../../platform/http/client-network.ts';
import { isRefused, refusals, type Refused } from '../../vocabulary/refusals.ts';
import { pathWithin } from '../frame/form-checks.ts';
import { form, type Field } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { providerRoutes } from './provider-sign-in.ts';
import { checkForm, formOf, redirect, type PageServer } from '../frame/serve-page.ts';
import type { SignInRoute, SignInWays } from './sign-in-ways.ts';

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
