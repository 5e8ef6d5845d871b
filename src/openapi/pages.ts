import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { answerLanguage } from '../platform/http/answer-language.ts';
import { answerRefusal } from '../platform/http/answer-refusal.ts';
import type { OpenApiContents, OpenApiOperation } from '../platform/http/route-openapi.ts';
import type { Route } from '../platform/http/route.ts';
import { refuse, refusals } from '../vocabulary/refusals.ts';
import { violationSentences } from '../vocabulary/violations.ts';
import { warningSentences } from '../vocabulary/warnings.ts';
import { codeIndexPage, codePage } from './code-pages.ts';
import { findCodeUses } from './code-places.ts';
import { guideIndexPage, guideNames, guidePage } from './guide-pages.ts';
import { PAGES_CSS } from './html-page.ts';
import { audiences, buildOpenApiDocument } from './openapi-document.ts';
import { servedFile, type ServedFile } from '../platform/http/served-file.ts';

/** Policy of code and guide pages, which only load their style sheet. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Policy of the reference, which runs our scripts, adds inline styles, and calls this service when a reader tries an operation. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Browser script of @scalar/api-reference, updated by `npm run refresh:reference`. Version, license and checksum are in the file next to it. */
const REFERENCE_SCRIPT = join(import.meta.dirname, 'assets/api-reference.js');

/** Script paths contain the hash of their content. */
const HASHED_PATH = /^(\/docs\/\w+)\.([\w-]{16})\.js$/;

type Files = ReadonlyMap<string, () => ServedFile | Promise<ServedFile>>;

/**
 * Serves the OpenAPI document at `/openapi.json`, its parts below `/openapi/`, the reference at `/docs/` (with a redirect from `/`), a page for each code, and the
 * guides for suppliers. Files are created at their first request and kept in memory; nothing is loaded from external addresses.
 * @param beside what no route declares
 */
export function contractPages(routes: readonly Route[], beside: OpenApiContents): Middleware {
  const files = buildFiles(openApiContents(routes, beside));
  return async (ctx, next) => {
    if (ctx.path === '/' && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
      ctx.state['route'] = '/';
      ctx.status = 303;
      ctx.set('location', '/docs/');
      ctx.body = '';
      return;
    }
    const path = ctx.path.endsWith('/') || ctx.path.includes('.') ? ctx.path : `${ctx.path}/`;
    const [, stem, hash] = HASHED_PATH.exec(path) ?? [];
    const name = stem === undefined ? path : `${stem}.js`;
    const french = answerLanguage(ctx) === 'fr' ? files.get(inFrench(name)) : undefined;
    const find = french ?? files.get(name);
    if (find === undefined) return next();
    ctx.state['route'] = stem ?? path.replace(/^(\/docs\/(?:codes|guide))\/.+/, '$1/:name');
    const file = await find();
    if (files.has(inFrench(name))) {
      ctx.vary('accept-language');
      ctx.set('content-language', french === undefined ? 'en' : 'fr');
    }
    // Serves only the current hash, because responses are cached forever.
    if (path.endsWith('.js') && file.hash !== hash) return next();
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return file.send(ctx);
    ctx.set('allow', 'GET, HEAD');
    answerRefusal(ctx, refuse('method_not_allowed'));
  };
}

/** Operations of routes with documentation. */
export function declaredOperations(routes: readonly Route[]): OpenApiOperation[] {
  return routes.flatMap(({ openApi, ...route }) => (openApi === undefined ? [] : [{ ...route, openApi }]));
}

/**
 * The contents of the OpenAPI document: those beside the routes, and the operations of routes.
 * @param beside what no route declares
 */
export function openApiContents(routes: readonly Route[], beside: OpenApiContents): OpenApiContents {
  return { ...beside, operations: [...beside.operations, ...declaredOperations(routes)] };
}

function buildFiles(contents: OpenApiContents): Files {
  const document = once(() => buildOpenApiDocument(contents));
  const json = (content: object) => servedFile(JSON.stringify(content), 'application/json', {});
  const places = once(() => findCodeUses(document()));
  const html = (content: string) => servedFile(content, 'text/html', { 'content-security-policy': PAGE_POLICY });
  const start = servedFile(REFERENCE_START, 'text/javascript', {}, true);
  const script = once(async () => servedFile(await readFile(REFERENCE_SCRIPT), 'text/javascript', {}, true));
  const reference = once(async () => {
    const page = referencePage({
      script: `/docs/reference.${(await script()).hash}.js`,
      start: `/docs/start.${start.hash}.js`,
    });
    return servedFile(page, 'text/html', { 'content-security-policy': REFERENCE_POLICY });
  });
  const codes = [...Object.keys(refusals), ...Object.keys(violationSentences), ...Object.keys(warningSentences)];
  return new Map<string, () => ServedFile | Promise<ServedFile>>([
    ['/openapi.json', once(() => json(document()))],
    ...audiences.map((audience) => {
      const part = once(() => json(buildOpenApiDocument(contents, audience)));
      return [`/openapi/${audience}.json`, part] as const;
    }),
    ['/docs/', reference],
    ['/docs/reference.js', script],
    ['/docs/start.js', () => start],
    ['/docs/pages.css', once(() => servedFile(PAGES_CSS, 'text/css', {}))],
    ['/docs/codes/', once(() => html(codeIndexPage()))],
    ...codes.flatMap((code) => {
      const path = `/docs/codes/${code}/`;
      return [
        [path, once(() => html(codePage(code, places()) ?? ''))] as const,
        [inFrench(path), once(() => html(codePage(code, places(), 'fr') ?? ''))] as const,
      ];
    }),
    ['/docs/guide/', once(() => html(guideIndexPage()))],
    ...guideNames().map((name) => [`/docs/guide/${name}/`, once(() => html(guidePage(name)))] as const),
  ]);
}

/** Name of the French form of a page; no path of a request contains a space. */
const inFrench = (path: string) => `${path} fr`;

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Configuration of the reference (Scalar). Everything that would call an external address is off. */
const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'token', securitySchemes: { token: { value: 'Token <ACCESS_TOKEN>' } } },
  defaultOpenFirstTag: true,
  documentDownloadType: 'direct',
  operationTitleSource: 'summary',
  metaData: { title: 'gangway - API' },
  customCss:
    ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; } a[href^="https://www.scalar.com"] { display: none !important; }',
};

/** Starts the reference. A separate file, because the page's policy forbids inline scripts. */
const REFERENCE_START = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)});\n`;

/** `GET /docs/`: the OpenAPI document for people. */
function referencePage(files: { script: string; start: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>gangway - API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>, the guide at <a href="/docs/guide/">/docs/guide/</a>, the codes at <a href="/docs/codes/">/docs/codes/</a>.</noscript>
<div id="reference"></div>
<script src="${files.script}"></script>
<script src="${files.start}"></script>
</body>
</html>
`;
}
