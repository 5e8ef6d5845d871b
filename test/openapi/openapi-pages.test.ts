import { afterAll, expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { codePage } from '../../src/openapi/code-pages.ts';
import { frenchRemedyOf, frenchSentenceOf } from '../../src/vocabulary/french.ts';
import { refusals, type RefusalEntry } from '../../src/vocabulary/refusals.ts';
import { violationSentences } from '../../src/vocabulary/violations.ts';
import { warningSentences } from '../../src/vocabulary/warnings.ts';
import { startService } from '../support/harness.ts';

const GUIDES = join(import.meta.dirname, '../../docs/suppliers');

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers });

test('serves openapi.json without authentication, unchanged', async () => {
  const answer = await get('/openapi.json');
  expect(answer).toMatchObject({
    status: 200,
    body: { openapi: '3.1.0' },
    headers: { 'content-type': expect.stringContaining('application/json'), etag: expect.any(String) },
  });
  expect(
    (
      await fetch(`${service.url}/openapi.json`, {
        headers: { 'if-none-match': answer.headers['etag']!, 'cache-control': 'max-age=0' },
      })
    ).status,
  ).toBe(304);
});

test('serves the reference from its own files only, under a policy that enforces it', async () => {
  const page = await get('/docs/', { accept: 'text/html' });
  expect(page.status).toBe(200);
  expect(page.body).not.toMatch(/https?:/);
  expect(page.headers['content-security-policy']).toMatch(
    /default-src 'none'.*script-src 'self'.*connect-src 'self'.*frame-ancestors 'none'/,
  );
  const scripts = [...(page.body as string).matchAll(/src="([^"]+)"/g)].map(([, source]) => source as string);
  expect(scripts).toHaveLength(2);
  for (const source of scripts) {
    const script = await get(source);
    expect(script).toMatchObject({
      status: 200,
      headers: {
        'cache-control': expect.stringContaining('immutable'),
        'content-type': expect.stringContaining('text/javascript'),
        'content-encoding': expect.stringMatching(/br|gzip/),
      },
    });
    expect((await get(source.replace(/\.[^.]+\.js$/, '.AAAAAAAAAAAAAAAA.js'))).status).toBe(404);
  }
  expect((await get('/docs')).status).toBe(200);
});

test.each(['throttled', 'invalid_phone_number'])(
  'shows meaning, remedy and example on the page of %s',
  async (code) => {
    const page = await get(`/docs/codes/${code}/`, { accept: 'text/html' });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/html') } });
    for (const part of [code, 'What to do', 'Example', 'Where']) expect(page.body).toContain(part);
  },
);

test('explains every code in French on request, and in English otherwise', async () => {
  const path = '/docs/codes/blank/';
  const french = await get(path, { accept: 'text/html', 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8' });
  expect(french.headers).toMatchObject({ 'content-language': 'fr', vary: expect.stringContaining('accept-language') });
  for (const part of ['<html lang="fr">', 'Que faire', frenchSentenceOf('blank'), frenchRemedyOf('blank', false)]) {
    expect(french.body).toContain(part);
  }
  const english = await get(path, { accept: 'text/html', 'accept-language': 'en' });
  expect(english.headers).toMatchObject({ 'content-language': 'en', vary: expect.stringContaining('accept-language') });
  expect(english.body).toContain('What to do');
  const uses = { operations: new Map(), fields: new Map() };
  for (const code of [...Object.keys(refusals), ...Object.keys(violationSentences), ...Object.keys(warningSentences)]) {
    const page = codePage(code, uses, 'fr')!;
    expect([code, /What to do|Every operation|Example/.test(page)]).toEqual([code, false]);
    expect([code, page.includes('Que faire')]).toEqual([code, true]);
  }
});

test('lists and renders guides whose links lead to existing pages and headings', async () => {
  const index = await get('/docs/guide/', { accept: 'text/html' });
  expect(index).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/html') } });
  const names = globSync('*.md', { cwd: GUIDES }).map((file) => file.slice(0, -3));
  const hrefs = (body: string) => [...body.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href!);
  expect(
    hrefs(index.body)
      .filter((href) => /^\/docs\/guide\/./.test(href))
      .toSorted(),
  ).toEqual(names.map((name) => `/docs/guide/${name}/`).toSorted());
  const pages = new Map<string, string>();
  const bodyOf = async (path: string): Promise<string> => {
    const known =
      pages.get(path) ?? ((await get(path, { accept: 'text/html' })).status === 200 && (await get(path)).body);
    pages.set(path, known || '');
    return known || '';
  };
  for (const name of names) {
    const body = await bodyOf(`/docs/guide/${name}/`);
    expect(body).toMatch(/<h1 id=/);
    expect(body).not.toMatch(/<!--|<script|\.md[)"#]/);
    for (const href of hrefs(body).filter((one) => !one.startsWith('https://'))) {
      const [path, anchor] = href.split('#');
      const target = await bodyOf(path || `/docs/guide/${name}/`);
      expect([name, href, target === '' ? 'missing' : 'found']).toEqual([name, href, 'found']);
      if (anchor) expect([name, href, target.includes(`id="${anchor}"`)]).toEqual([name, href, true]);
    }
  }
  expect((await get('/docs/guide/nothing/')).status).toBe(404);
  expect((await get('/docs/guide/..%2f..%2fREADME/')).status).toBe(404);
});

test('links guides in contract and code pages, and no file of the repository', async () => {
  const text = JSON.stringify((await get('/openapi.json')).body);
  expect(text).not.toContain('docs/suppliers');
  const linked = new Set(text.match(/\/docs\/guide\/[\w-]+\//g));
  expect(linked.size).toBeGreaterThan(3);
  for (const path of linked) expect([path, (await get(path)).status]).toEqual([path, 200]);
  for (const [code, { page }] of Object.entries<RefusalEntry>(refusals)) {
    const { body } = await get(`/docs/codes/${code}/`);
    expect(body).not.toContain('.md');
    const isGuide = page?.startsWith('docs/suppliers/');
    const [, path, anchor] = /href="(\/docs\/guide\/[\w-]+\/)(?:#([\w-]+))?"/.exec(body) ?? [];
    expect([code, path !== undefined]).toEqual([code, isGuide ?? false]);
    if (anchor) expect((await get(path!)).body).toContain(`id="${anchor}"`);
  }
});

test('answers an unknown code with 404, and rejects POST on pages', async () => {
  expect((await get('/docs/codes/nothing/')).status).toBe(404);
  const refused = await service.call('POST', '/docs/', { body: {} });
  expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' }, body: { code: 'method_not_allowed' } });
  expect((await service.call('HEAD', '/docs/')).status).toBe(200);
});

test('sends security headers with every response, and promises TLS only behind TLS', async () => {
  const answer = await get('/healthz/live');
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
  });
  expect(answer.headers).not.toHaveProperty('strict-transport-security');
});

test('links a rejection to the page of its code', async () => {
  const answer = await get('/v1/operations/audit/');
  expect(answer.body).toMatchObject({ code: 'not_authenticated', doc_url: '/docs/codes/not_authenticated/' });
  expect((await get(answer.body.doc_url)).status).toBe(200);
});

test('answers problem details if requested by name (RFC 9457)', async () => {
  const answer = await get('/v1/operations/audit/', { accept: 'application/problem+json' });
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.body).toEqual({
    type: '/docs/codes/not_authenticated/',
    title: expect.any(String),
    status: 401,
    instance: answer.headers['x-request-id'],
    detail: expect.any(String),
    code: 'not_authenticated',
    errors: [],
    doc_url: '/docs/codes/not_authenticated/',
  });
  const both = await get('/v1/operations/audit/', { accept: 'application/json, application/problem+json' });
  expect(both.headers['content-type']).toMatch(/^application\/problem\+json/);
  for (const accept of ['*/*', 'application/*', 'application/json', 'application/json, application/problem+json;q=0']) {
    expect((await get('/v1/operations/audit/', { accept })).headers['content-type']).toMatch(/^application\/json/);
  }
  expect((await get('/healthz/live', { accept: 'application/problem+json' })).headers['content-type']).toMatch(
    /^application\/json/,
  );
});

test('tells browsers behind TLS to use TLS only', async () => {
  const behindTls = await startService({ temporal: false, settings: { HTTP_PROXIES: '1' } });
  try {
    expect((await behindTls.call('GET', '/docs/')).headers['strict-transport-security']).toBe(
      'max-age=31536000; includeSubDomains',
    );
  } finally {
    await behindTls.stop();
  }
});
