import type { Context } from 'koa';
import type { LongAnswers } from '../../platform/http/long-answers.ts';
import { hangUpSignal } from '../../platform/http/received-request.ts';
import { actorOf, type PersonSessionView } from '../../access/index.ts';
import type { Log } from '../../platform/log.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { FORM_TOKEN, isFormToken, isFromThisSite } from './form-checks.ts';
import { html, type Html } from './html.ts';
import {
  accepted,
  PageRefusal,
  type Download,
  type Page,
  type PageAnswer,
  type PageRequest,
  type SiteDeps,
} from './page.ts';
import { leastRoleFor, mayDo } from '../../vocabulary/operator-actions.ts';
import { opened, sealed } from './sealed-text.ts';
import { showRefused } from './site-frame.ts';
import type { SiteSessions } from './site-session.ts';

export interface PageServer {
  deps: SiteDeps;
  log: Log;
  sessions: SiteSessions;
  longAnswers: LongAnswers;
  /** The public origin of the site; undefined without SUPPORT_SITE_URL. */
  origin: string | undefined;
  /** Writes a page with the frame of the site. */
  showPage(ctx: Context, status: number, shown: { title: string; body: Html }): void;
  showFault(ctx: Context, status: number, title: string, body: Html): void;
}

export interface SessionShown {
  session: PersonSessionView;
  formToken: Html;
}

/** Serves a page after checks of session, permission and form token. */
export function servePage(page: Page, server: PageServer): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    ctx.state['route'] = page.path;
    const session = await server.sessions.find(ctx, page.isPolled !== true);
    if (session === undefined) return askToSignIn(ctx);
    const formToken = hiddenToken(session);
    ctx.state['shown'] = { session, formToken } satisfies SessionShown;
    const refused = page.method === 'POST' ? formRefusal(ctx, server, session) : undefined;
    if (refused) return showRefused(server, ctx, refused);
    if (!mayDo(session.role, page.action)) return showRefused(server, ctx, notAllowed(page, session));
    const show = async () => send(ctx, server, session, await page.show(requestOf(ctx, server, session, formToken)));
    try {
      if (page.isLong !== true) return await show();
      accepted(await server.longAnswers.run(ctx, session.subject, show));
    } catch (error) {
      if (!(error instanceof PageRefusal)) throw error;
      showRefused(server, ctx, error.refused);
    }
  };
}

/** The hidden field of a form. */
function hiddenToken({ csrfSecret }: PersonSessionView): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${csrfSecret.toString('base64url')}" />`;
}

/** The rejection of a form; undefined if it may be processed. */
export function formRefusal(
  ctx: Context,
  { origin }: Pick<PageServer, 'origin'>,
  session: PersonSessionView | undefined,
): Refused | undefined {
  const sender = { origin: ctx.get('origin'), fetchSite: ctx.get('sec-fetch-site'), host: ctx.get('host') };
  if (!isFromThisSite(sender, origin)) {
    return refuse('permission_denied', { detail: 'This form was not sent by a page of this site.' });
  }
  if (session === undefined || isFormToken(formOf(ctx).get(FORM_TOKEN), session.csrfSecret)) return undefined;
  return refuse('permission_denied', {
    detail: 'The form was loaded before you signed in. Go back, reload the page and send it again.',
  });
}

/** The fields of the form that was sent. */
export function formOf(ctx: Context): URLSearchParams {
  return new URLSearchParams((ctx.request as { rawBody?: string }).rawBody ?? '');
}

function notAllowed({ action }: Page, { role }: PersonSessionView): Refused {
  return refuse('permission_denied', {
    detail: `You need the role ${leastRoleFor(action)} for this; your role is ${role}. Ask an administrator.`,
  });
}

/** A live part without a session makes the browser leave the page. */
function askToSignIn(ctx: Context): void {
  const isForm = ctx.method === 'POST';
  const to = isForm ? '/sign-in' : `/sign-in?to=${encodeURIComponent(ctx.url)}`;
  if (!isForPart(ctx)) return redirect(ctx, to);
  ctx.status = 401;
  ctx.set('hx-redirect', '/sign-in');
  ctx.body = '';
}

function isForPart(ctx: Context): boolean {
  return ctx.get('hx-request') !== '';
}

/** Answers with another address. */
export function redirect(ctx: Context, to: string): void {
  ctx.status = 303;
  ctx.set('location', to);
  ctx.body = '';
}

function requestOf(ctx: Context, server: PageServer, session: PersonSessionView, formToken: Html): PageRequest {
  const actor = actorOf(session);
  return {
    ...server.deps,
    params: (ctx['params'] ?? {}) as Record<string, string>,
    query: new URLSearchParams(ctx.querystring),
    form: formOf(ctx),
    sessionId: session.id,
    actor,
    caller: actor,
    may: (action) => mayDo(session.role, action),
    formToken,
    seal: (text) => sealed(text, session.csrfSecret),
    unseal: (text) => opened(text, session.csrfSecret),
    here: ctx.url,
    isForPart: isForPart(ctx),
    now: server.deps.clock.now(),
    hungUp: () => hangUpSignal(ctx),
  };
}

async function send(ctx: Context, server: PageServer, session: PersonSessionView, answer: PageAnswer): Promise<void> {
  if ('redirect' in answer) {
    if (answer.flash) await server.sessions.setFlash(ctx, answer.flash);
    return redirect(ctx, answer.redirect);
  }
  if ('download' in answer) return sendFile(ctx, server, answer);
  if ('fragment' in answer) {
    ctx.type = 'html';
    ctx.body = answer.fragment.toString();
    return;
  }
  server.showPage(ctx, 200, answer);
  // The message is shown once.
  if (session.flash !== null) await server.sessions.setFlash(ctx, null);
}

async function sendFile(
  ctx: Context,
  { log, longAnswers }: PageServer,
  { download, type, content }: Download,
): Promise<void> {
  if (typeof content === 'string') ctx.body = content;
  else await longAnswers.send(ctx, log, content);
  ctx.type = type;
  ctx.attachment(download);
}
