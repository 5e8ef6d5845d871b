import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import { createReadAudit, type PersonSessionView } from '../access/index.ts';
import type { Decision } from '../overview/index.ts';
import { createLongAnswers } from '../platform/http/long-answers.ts';
import { servedFile, type ServedFile } from '../platform/http/served-file.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { countInWindows } from '../platform/windowed-count.ts';
import { shortId } from './frame/cells.ts';
import { Html } from './frame/html.ts';
import { inLanguage, language } from './frame/language.ts';
import { languageOf, languageRoute } from './frame/language-switch.ts';
import { wholePage, type Crumb } from './frame/layout.ts';
import { menuFor } from './frame/menu.ts';
import type { SiteDeps } from './frame/page.ts';
import { MESSAGES, WAVES } from './frame/paths.ts';
import { redirect, servePage, type PageServer } from './frame/serve-page.ts';
import { siteFrame, compressPages } from './frame/site-frame.ts';
import { createSiteSessions } from './frame/site-session.ts';
import { sitePages } from './pages.ts';
import { signInRoutes } from './sign-in/sign-in.ts';
import { signInWays } from './sign-in/sign-in-ways.ts';
import { codecRoutes } from './temporal-codec/decode-payloads.ts';

export interface SiteOptions {
  deps: SiteDeps;
  secrets: Secrets;
  /** Readiness, for load balancers. */
  isReady(): Promise<boolean>;
}

/** Limits of concurrent downloads and counts. */
const LONG_PAGES = { perProcess: 4, perCaller: 2, waitMs: 0 };
/** Those of people of import suppliers, so that staff need not wait for them. All people of a supplier are one caller. */
const LONG_PAGES_OF_SUPPLIERS = { perProcess: 2, perCaller: 1, waitMs: 0 };
/** People whose requests are counted. */
const PEOPLE_COUNTED_MAX = 10_000;
/** The largest form is a selection of a list. */
const FORM_LIMIT = '256kb';

/**
 * Creates the support site.
 * @returns a Koa application that does not listen yet
 */
export function createSite(options: SiteOptions): Koa {
  const { settings, database } = options.deps;
  const origin = settings.SUPPORT_SITE_URL === undefined ? undefined : new URL(settings.SUPPORT_SITE_URL).origin;
  const isBehindTls = origin?.startsWith('https:') ?? false;
  const app = new Koa({ proxy: settings.HTTP_PROXIES > 0, maxIpsCount: settings.HTTP_PROXIES });
  app.silent = true;
  const files = siteFiles();
  const showPage: PageServer['showPage'] = (ctx, status, { title, body }, bodyLanguage = language()) => {
    const session = ctx.state['session'] as PersonSessionView | undefined;
    ctx.status = status;
    ctx.type = 'html';
    const above = crumbsAbove(ctx);
    const isStaff = session !== undefined && session.viewer === undefined;
    const waiting = waitingByPage(isStaff ? options.deps.overview.newestDecisions() : []);
    const environment = settings.SUPPORT_SITE_ENVIRONMENT;
    ctx.body = wholePage({
      ...{ title, body, bodyLanguage, session, path: ctx.path, above, environment, waiting },
      here: ctx.method === 'GET' && status === 200 ? ctx.url : '/',
      assets: files.assets,
    });
  };
  const router = new Router({ sensitive: true });
  const server: PageServer = {
    deps: options.deps,
    origin,
    sessions: createSiteSessions(database, isBehindTls),
    longAnswers: createLongAnswers(LONG_PAGES),
    longAnswersOfSuppliers: createLongAnswers(LONG_PAGES_OF_SUPPLIERS),
    requestsOfSuppliers: countInWindows({ windowMs: 60_000, namesMax: PEOPLE_COUNTED_MAX }),
    recordRead: createReadAudit({ database }),
    showPage,
    pageAt: pageFinder(router),
  };
  const ways = signInWays({ ...options.deps, secrets: options.secrets });
  const pages = sitePages.map((page) => ({ ...page, answer: servePage(page, server) }));
  for (const { method, path, answer } of [
    ...pages,
    ...signInRoutes(server, ways),
    languageRoute(server),
    ...codecRoutes(server),
  ]) {
    const named = (ctx: Context) => {
      ctx.state['route'] = path;
      return answer(ctx);
    };
    router.register(path, [method], [named] as never);
  }
  app.use(compressPages);
  app.use((ctx, next) => inLanguage(languageOf(ctx), next));
  app.use(siteFrame({ ...options.deps, showPage, isBehindTls, styleHash: files.styleHash }));
  app.use(health(options));
  app.use(files.serve);
  app.use(bodyParser({ enableTypes: ['form'], formLimit: FORM_LIMIT }));
  app.use(leadToFirst(server));
  app.use(router.routes() as unknown as Middleware);
  return app;
}

/** Finds pages as the router does. */
function pageFinder(router: Router): PageServer['pageAt'] {
  return (path) => {
    const [layer] = router.match(path, 'GET').pathAndMethod;
    const shown = sitePages.find((one) => one.method === 'GET' && one.path === layer?.path);
    return shown && layer && { page: shown, params: layer.params(path, layer.captures(path)) };
  };
}

/** How many decisions wait, by the page of the menu where they are made. */
function waitingByPage(decisions: readonly Decision[]): Map<string, number> {
  const pages = new Map<string, number>();
  for (const { kind, count } of decisions) {
    const page = PAGES_OF_DECISIONS.get(kind) ?? (kind.startsWith('market_message_') ? MESSAGES : '/stuck');
    pages.set(page, (pages.get(page) ?? 0) + count);
  }
  return pages;
}

const PAGES_OF_DECISIONS = new Map([
  ['canary', '/jobs'],
  ['paused_job', '/jobs'],
  ['approval', WAVES],
  ['paused_wave', WAVES],
]);

/** Paths of pages of single items, such as `/jobs/:job`. */
const itemPages = new Set(
  sitePages.flatMap(({ method, path }) => (method === 'GET' && /:\w+$/.test(path) ? path : [])),
);

/** The pages of items above the page of a request, by its route: `/jobs/:job` above `/jobs/:job/causes`. */
function crumbsAbove(ctx: Context): Crumb[] {
  const route = String(ctx.state['route'] ?? '').split('/');
  const path = ctx.path.split('/');
  return route.slice(0, -1).flatMap((_, index) => {
    const end = index + 1;
    if (!itemPages.has(route.slice(0, end).join('/'))) return [];
    const id = decodeURIComponent(path[index] ?? '');
    return [[path.slice(0, end).join('/'), isUuid(id) ? shortId(id) : id] as const];
  });
}

const isUuid = (id: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);

/** `/healthz/live` and `/healthz/ready`, as the API has them. */
function health({ isReady }: SiteOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/healthz/live' && ctx.path !== '/healthz/ready') return next();
    ctx.state['route'] = ctx.path;
    const isWell = ctx.path === '/healthz/live' || (await isReady());
    ctx.status = isWell ? 200 : 503;
    ctx.body = { status: isWell ? 'ok' : 'service_unavailable' };
  };
}

/** Redirects `/` to the first page of the menu, which depends on the person. */
function leadToFirst({ sessions }: PageServer): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/') return next();
    ctx.state['route'] = '/';
    const session = await sessions.find(ctx, false);
    redirect(ctx, session === undefined ? '/sign-in' : menuFor(session.viewer)[0]!.entries[0]!.path);
  };
}

/**
 * The scripts under hashes of their content, so that browsers can cache them. The style sheet is in each page: as a file it would delay the
 * first paint by a round trip.
 */
function siteFiles() {
  const own = (name: string) => readFileSync(join(import.meta.dirname, 'assets', name));
  const htmx = readFileSync(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')));
  const byAddress = new Map<string, ServedFile>();
  const add = (name: string, content: Buffer) => {
    const file = servedFile(content, 'text/javascript', {}, true);
    const address = `/assets/${name}.${file.hash}.js`;
    byAddress.set(address, file);
    return address;
  };
  const style = own('site.css').toString();
  const assets = {
    style: new Html(`<style>${style}</style>`),
    htmx: add('htmx', htmx),
    script: add('site', own('site.js')),
  };
  const styleHash = createHash('sha256').update(style).digest('base64');
  const serve = async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    const file = byAddress.get(ctx.path);
    if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return void (await next());
    ctx.state['route'] = '/assets/:file';
    await file.send(ctx);
  };
  return { assets, styleHash, serve };
}
