import type { Context } from 'koa';
import type { LongAnswers } from '../../platform/http/long-answers.ts';
import type { WindowedCount } from '../../platform/windowed-count.ts';
import { hangUpSignal } from '../../platform/http/received-request.ts';
import { BodyRejected, HungUp } from '../../platform/http/request-bytes.ts';
import { drain } from '../../platform/http/streamed-body.ts';
import { actorOf, type PersonSessionView, type ReadAudit } from '../../access/index.ts';
import type { Language } from '../../vocabulary/french.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { FORM_TOKEN, isFormToken, isFromThisSite, maskedToken } from './form-checks.ts';
import { noFile, readFormWithFile } from './form-with-file.ts';
import { html, type Html } from './html.ts';
import { inLanguage, inSameLanguage, language, t } from './language.ts';
import {
  accepted,
  PageRefusal,
  type Download,
  type Page,
  type PageAnswer,
  type PageRequest,
  type SiteDeps,
} from './page.ts';
import { leastRoleFor, mayDo, personMay, type OperatorAction } from '../../vocabulary/operator-actions.ts';
import { isCorrectable, showAgain } from './rejected-form.ts';
import { opened, sealed } from './sealed-text.ts';
import type { SiteSessions } from './site-session.ts';
import { ownSuppliers, requireOwn } from './supplier-pages.ts';

export interface PageServer {
  deps: SiteDeps;
  sessions: SiteSessions;
  longAnswers: LongAnswers;
  longAnswersOfSuppliers: LongAnswers;
  /** Requests of people of import suppliers in a minute, by subject. */
  requestsOfSuppliers: WindowedCount;
  /** Records what people of import suppliers read. */
  recordRead: ReadAudit;
  /** The public origin of the site; undefined without SUPPORT_SITE_URL. */
  origin: string | undefined;
  /** The page of an address without a query, with its path parameters. */
  pageAt(path: string): { page: Page; params: Record<string, string> } | undefined;
  /** Writes a page with the frame of the site, for the session in the state of the context. */
  showPage(ctx: Context, status: number, shown: { title: string; body: Html }, bodyLanguage?: Language): void;
}

/** Serves a page after checks of session, permission and form token. */
export function servePage(page: Page, server: PageServer): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const session = await server.sessions.find(ctx, page.isPolled !== true);
    if (session === undefined) return askToSignIn(ctx);
    ctx.state['session'] = session;
    const request = requestOf(ctx, server, session);
    const { viewer } = request;
    if (viewer !== undefined) {
      limitRequests(server, session);
      await requireOwn(page, { ...request, viewer });
    }
    if (page.fileBytesMax !== undefined) return takeFile(page, server, session, request, ctx);
    if (page.method === 'POST') checkForm(ctx, server, session);
    if (!isAllowed(session, page)) forbidden(whyNot(session, page.action));
    const show = () => sendAnswer(ctx, server, session, page, request);
    if (page.isLong !== true) return show();
    const [answers, caller] =
      viewer === undefined
        ? [server.longAnswers, session.subject]
        : [server.longAnswersOfSuppliers, [...viewer.importSuppliers].join(' ')];
    accepted(await answers.run(ctx, caller, show));
  };
}

/** Sends the answer of a page. A rejected form is shown again on its page. */
async function sendAnswer(
  ctx: Context,
  server: PageServer,
  session: PersonSessionView,
  page: Page,
  request: PageRequest,
): Promise<void> {
  const bodyLanguage = languageOf(page);
  try {
    const answer = await inLanguage(bodyLanguage, () => page.show(request));
    if (request.viewer !== undefined && page.method === 'GET') await recordRead(ctx, server, session, page);
    await send(ctx, server, session, answer, bodyLanguage);
  } catch (error) {
    if (!(error instanceof PageRefusal) || page.method === 'GET' || request.isForPart) throw error;
    if (!(await sendFormAgain(ctx, server, session, request, error.refused))) throw error;
  }
}

/**
 * Sends the page of a rejected form, with what was sent.
 * @returns false if the form cannot be corrected, or the page is not known or has no such form
 */
async function sendFormAgain(
  ctx: Context,
  server: PageServer,
  session: PersonSessionView,
  request: PageRequest,
  refused: Refused,
): Promise<boolean> {
  if (!isCorrectable(refused)) return false;
  const from = URL.parse(ctx.get('referer')) ?? new URL(ctx.path, 'http://localhost');
  const found = server.pageAt(from.pathname);
  if (found === undefined || found.page.isLong === true || !isAllowed(session, found.page)) return false;
  const { page, params } = found;
  const { viewer } = request;
  const here = from.pathname + from.search;
  const again = { ...request, params, query: from.searchParams, form: new URLSearchParams(), here };
  if (viewer !== undefined) await requireOwn(page, { ...again, viewer });
  const bodyLanguage = languageOf(page);
  const rejected = { action: ctx.path, sent: request.form, refused };
  const answer = await inLanguage(bodyLanguage, () => showAgain(rejected, () => page.show(again)));
  if (answer === undefined) return false;
  if (viewer !== undefined) await recordRead(ctx, server, session, page, from.pathname);
  await send(ctx, server, session, answer, bodyLanguage);
  return true;
}

const languageOf = ({ isTranslated }: Page): Language => (isTranslated === true ? language() : 'en');

/** Live parts send 20 requests a minute. */
const REQUESTS_OF_SUPPLIERS_MAX = 600;

/** @throws PageRefusal for too many requests of one person */
function limitRequests({ requestsOfSuppliers: requests }: PageServer, { subject }: PersonSessionView): void {
  if (requests.add(subject) <= REQUESTS_OF_SUPPLIERS_MAX) return;
  throw new PageRefusal(refuse('throttled', { retryAfterSeconds: requests.secondsLeft(subject) }));
}

/** People of import suppliers may look at each page that they have. */
function isAllowed(session: PersonSessionView, { action }: Page): boolean {
  return personMay(session, action) || (session.viewer !== undefined && action === 'look');
}

/** A part that refreshes is recorded once an hour. The query is not recorded, because it may contain what was searched for. */
async function recordRead(
  ctx: Context,
  { deps, recordRead: record }: PageServer,
  session: PersonSessionView,
  { isPolled }: Page,
  path = ctx.path,
): Promise<void> {
  await record({
    action: 'site.read',
    actor: actorOf(session),
    reader: session.id,
    subject: path.slice(1),
    log: deps.log,
    requestId: String(ctx.state['requestId']),
    onceIn: isPolled ? POLLED_READ_MS : undefined,
  });
}

const POLLED_READ_MS = 3_600_000;

/** Handles a form with a file, which is read only by the page. The rest of a rejected one is discarded, so that the browser reads the answer. */
async function takeFile(
  page: Page,
  server: PageServer,
  session: PersonSessionView,
  request: PageRequest,
  ctx: Context,
) {
  try {
    if (!isAllowed(session, page)) forbidden(whyNot(session, page.action));
    const { fields, file } = await readFormWithFile(ctx, page.fileBytesMax ?? 0);
    checkForm(ctx, server, session, fields);
    await sendAnswer(ctx, server, session, page, { ...request, form: fields, file });
  } catch (error) {
    if (error instanceof BodyRejected) throw new PageRefusal(error.refused);
    if (!(error instanceof HungUp)) throw error;
  } finally {
    drain(ctx.req);
  }
}

function whyNot({ role, scope }: PersonSessionView, action: OperatorAction): string {
  return mayDo(role, action)
    ? t(
        'Your key has the scope {scope}, which does not allow this. Sign in with a key that has the scope approve or all.',
        { scope: String(scope) },
      )
    : t('You need the role {needed} for this; your role is {role}. Ask an administrator.', {
        needed: leastRoleFor(action),
        role,
      });
}

/** The hidden field of a form, the same for all forms of a response: each request reads its session anew. */
export function hiddenToken({ csrfSecret }: PersonSessionView): Html {
  const known = tokens.get(csrfSecret);
  const token = known ?? html`<input type="hidden" name="${FORM_TOKEN}" value="${maskedToken(csrfSecret)}" />`;
  tokens.set(csrfSecret, token);
  return token;
}

const tokens = new WeakMap<Buffer, Html>();

/** @throws PageRefusal for a form that was not sent by a page of this site, or not by one of this session */
export function checkForm(
  ctx: Context,
  { origin }: Pick<PageServer, 'origin'>,
  session: PersonSessionView | undefined,
  fields = formOf(ctx),
): void {
  const sender = { origin: ctx.get('origin'), fetchSite: ctx.get('sec-fetch-site'), host: ctx.get('host') };
  if (!isFromThisSite(sender, origin)) forbidden('This form was not sent by a page of this site.');
  if (session !== undefined && !isFormToken(fields.get(FORM_TOKEN), session.csrfSecret)) {
    forbidden('The form was loaded before you signed in. Go back, reload the page and send it again.');
  }
}

function forbidden(detail: string): never {
  throw new PageRefusal(refuse('permission_denied', { detail }));
}

/** The fields of the form that was sent. */
export function formOf(ctx: Context): URLSearchParams {
  return new URLSearchParams((ctx.request as { rawBody?: string }).rawBody ?? '');
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

function requestOf(ctx: Context, { deps }: PageServer, session: PersonSessionView): PageRequest {
  const actor = actorOf(session);
  const { viewer } = session;
  return {
    ...deps,
    ...(viewer && { suppliers: ownSuppliers(deps.suppliers, viewer), runAddress: () => undefined }),
    viewer,
    params: (ctx['params'] ?? {}) as Record<string, string>,
    query: new URLSearchParams(ctx.querystring),
    form: formOf(ctx),
    file: noFile(),
    sessionId: session.id,
    actor,
    caller: actor,
    may: (action) => personMay(session, action),
    formToken: hiddenToken(session),
    seal: (text) => sealed(text, session.csrfSecret),
    unseal: (text) => opened(text, session.csrfSecret),
    savedView: (list) => ctx.cookies.get(`view-${list}`),
    here: ctx.url,
    isForPart: isForPart(ctx),
    now: deps.clock.now(),
    hungUp: () => hangUpSignal(ctx),
  };
}

async function send(
  ctx: Context,
  server: PageServer,
  session: PersonSessionView,
  answer: PageAnswer,
  bodyLanguage: Language,
): Promise<void> {
  if ('redirect' in answer) {
    if (answer.flash) await server.sessions.setFlash(ctx, answer.flash);
    if (answer.view) server.sessions.saveView(ctx, answer.view);
    return redirect(ctx, answer.redirect);
  }
  if ('download' in answer) return sendFile(ctx, server, answer);
  if ('fragment' in answer) {
    ctx.type = 'html';
    ctx.body = answer.fragment.toString();
    return;
  }
  server.showPage(ctx, answer.status ?? 200, answer, bodyLanguage);
  // The message is shown once.
  if (session.flash !== null) await server.sessions.setFlash(ctx, null);
}

async function sendFile(
  ctx: Context,
  { deps, longAnswers }: PageServer,
  { download, type, content }: Download,
): Promise<void> {
  if (typeof content === 'string') ctx.body = content;
  else await longAnswers.send(ctx, deps.log, inSameLanguage(content));
  ctx.type = type;
  ctx.attachment(download);
}
