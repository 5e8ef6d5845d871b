import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../support/harness.ts';
import { menu } from '../../src/support-site/frame/menu.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

let service: Service;
let site: Site;
let visitor: Visitor;
beforeAll(async () => {
  service = await startService();
  site = await startSite(service);
  visitor = await site.signedIn();
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

test('forbids foreign code and styles, frames and caching on every page', async () => {
  for (const path of ['/sign-in', '/stuck', '/nowhere']) {
    const { headers, text } = await visitor.get(path);
    const [, style = ''] = /<style>([^<]+)<\/style>/.exec(text)!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect({ path, ...Object.fromEntries(headers) }).toMatchObject({
      path,
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'sha256-${hash}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style.*<style|<link[^>]*stylesheet|\sstyle=|\son\w+=/);
  }
});

test('shows a page with the request id for an unknown address', async () => {
  const { status, text, headers } = await visitor.get('/nowhere');
  expect(status).toBe(404);
  expect(text).toContain('Not found');
  expect(text).toContain(headers.get('x-request-id'));
});

test('shows a page with the request id, without the reason, after an internal error', async () => {
  await service.database.pool.query('alter table person_session rename column flash to moved');
  try {
    const { status, text, headers } = await visitor.get('/stuck');
    expect(status).toBe(500);
    expect(text).toContain(headers.get('x-request-id'));
    expect(text.replace(/<style>[^<]+/, '')).not.toMatch(/person_session|column|flash"/);
  } finally {
    await service.database.pool.query('alter table person_session rename column moved to flash');
  }
});

test('rejects a form that is too large', async () => {
  expect((await visitor.post('/stuck/retry', [['id', 'x'.repeat(300_000)]])).status).toBe(413);
});

test('paints a page with its first response: no other file blocks it, and it is small', async () => {
  const own = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'br' };
  for (const path of ['/overview', '/stuck', '/waves', '/accounts', '/jobs']) {
    const { text, headers } = await visitor.get(path, own);
    const blocking = text.match(/<link[^>]*stylesheet|<script(?![^>]*\sdefer)/g);
    // 0.4 s on slow 3G, which gives half a second to the server and two round trips.
    const isSmall = Number(headers.get('content-length')) < 20_000;
    expect({ path, blocking, isSmall }).toEqual({ path, blocking: null, isSmall: true });
  }
});

test('caches scripts forever under the hash of their content', async () => {
  const { text } = await visitor.get('/stuck');
  const addresses = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address]) => address as string);
  expect(addresses).toHaveLength(2);
  for (const address of addresses) {
    const file = await visitor.get(address);
    expect({ address, status: file.status }).toEqual({ address, status: 200 });
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const again = await visitor.get(address, {
      'if-none-match': file.headers.get('etag') as string,
      // Without this header fetch bypasses caches.
      'cache-control': 'max-age=0',
    });
    expect(again.status).toBe(304);
  }
  expect((await visitor.get('/assets/site.0000000000000000.js')).status).toBe(404);
});

test('compresses pages that this site has opened, and no others, with another form token in each', async () => {
  const tokens = new Set<string>();
  for (const from of ['same-origin', 'none', 'same-site', 'cross-site']) {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const { status, headers, text } = await visitor.get('/settings', {
        'sec-fetch-site': from,
        'accept-encoding': accepted,
      });
      const isPacked = accepted !== 'identity' && (from === 'same-origin' || from === 'none');
      const found = [from, accepted, status, headers.get('content-encoding'), headers.get('vary')?.toLowerCase()];
      expect(found).toEqual([from, accepted, 200, isPacked ? accepted : null, 'accept-encoding, sec-fetch-site']);
      const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(text)!;
      tokens.add(token);
    }
  }
  expect(tokens.size).toBe(12);
});

test('shows breadcrumbs and one heading on every page, and marks the entry of the menu', async () => {
  for (const { entries } of menu) {
    for (const { path, name } of entries) {
      const { status, text } = await visitor.get(path);
      expect({ path, status, headings: text.match(/<h1>/g)?.length }).toEqual({ path, status: 200, headings: 1 });
      const title = /<h1>([^<]*)</.exec(text)![1]!;
      expect(text).toContain(`<li aria-current="page">${title}</li>`);
      expect(text).not.toMatch(/<li>(\w+)<\/li>\s*<li[^>]*>\1</);
      if (title !== name) expect(text).toContain(`<li><a href="${path}">${name}</a></li>`);
      expect(text).toMatch(new RegExp(`<a href="${path}" aria-current="page" data-go="\\w">${name}`));
    }
  }
  const below = (await visitor.get('/supply-points/throttle/enedis')).text;
  expect(below).toContain('<li><a href="/supply-points">Supply points</a></li>');
});

test('shows the name of the installation, and production in red', async () => {
  const shown = async (name: string) => {
    const other = await startSite(service, { SUPPORT_SITE_ENVIRONMENT: name });
    const { text } = await other.visitor().get('/sign-in');
    await other.stop();
    return /<span class="environment (environment-\w+)">([^<]*)</.exec(text)?.slice(1);
  };
  expect(await shown('Production')).toEqual(['environment-production', 'Production']);
  expect(await shown('Staging')).toEqual([expect.not.stringContaining('production'), 'Staging']);
});

test('redirects the root to the first page', async () => {
  expect(await visitor.get('/')).toMatchObject({ status: 303, location: '/overview' });
});

test('reports the state of the databases in the health check', async () => {
  expect((await visitor.get('/healthz/live')).status).toBe(200);
  expect((await visitor.get('/healthz/ready')).status).toBe(200);
});
