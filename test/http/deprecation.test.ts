import { afterAll, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { buildOpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { openApiContents } from '../../src/openapi/pages.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { createEventLoopScheduler } from '../../src/platform/http/event-loop-scheduler.ts';
import { serveHttp } from '../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { send } from '../support/harness.ts';
import { testSettings } from '../support/test-settings.ts';

const DEPRECATION = { since: '2027-01-01', ends: '2027-12-31', link: '/docs/guide/rules/' };
const schema = Type.Object({ word: Type.String({ examples: ['hello'] }) }, { title: 'Word' });
const of = (name: string): Pick<Route, 'method' | 'access'> & { path: string; openApi: Route['openApi'] } => ({
  method: 'GET',
  access: 'public',
  path: `/words/${name}`,
  openApi: { operationId: name, summary: name, replies: { 200: { description: 'A word.', schema, hasLink: true } } },
});
const CALLER = { keyId: 'id', organisation: 'Acme', keyName: 'key', role: 'supplier', scope: 'all' } as const;
const routes = [
  {
    ...of('old'),
    deprecation: DEPRECATION,
    handle: async () => ({
      status: 200,
      body: { word: 'old' },
      headers: { link: '</words/old?cursor=2>; rel="next"' },
    }),
  },
  { ...of('refused'), deprecation: DEPRECATION, handle: async () => refuse('not_found') },
  {
    ...of('lines'),
    access: 'supplier',
    deprecation: DEPRECATION,
    isLong: true,
    handle: async () => ({
      status: 200,
      body: { word: 'x' },
      headers: { link: '</words/lines?cursor=2>; rel="next"' },
    }),
  },
  { ...of('current'), handle: async () => ({ status: 200, body: { word: 'current' } }) },
] as Route[];

const log = createLog({ level: 'silent', process: 'test' });
const answer = createApp({
  routes,
  log,
  authenticate: async () => ({ ...CALLER, importSuppliers: new Set<string>() }),
  largeBodies: createLargeBodyGate({ capacityBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 }),
  scheduler: createEventLoopScheduler(),
}).callback();
const server = await serveHttp(
  (request, response) => void answer(request, response),
  testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0' }),
  log,
);
afterAll(() => server.stop());

test.each(['old', 'refused'])('a deprecated route says so in each response: %s', async (name) => {
  const { headers } = await send(server.url, 'GET', `/words/${name}`);
  expect(headers).toMatchObject({ deprecation: '@1798761600', sunset: 'Fri, 31 Dec 2027 00:00:00 GMT' });
  expect(headers['link']).toContain('</docs/guide/rules/>; rel="deprecation"');
});

test.each(['old', 'lines'])('sends the link to the next page beside it: %s', async (name) => {
  const { status, headers } = await send(server.url, 'GET', `/words/${name}`);
  expect({ status, links: headers['link']?.match(/rel="\w+"/g)?.sort() }).toEqual({
    status: 200,
    links: ['rel="deprecation"', 'rel="next"'],
  });
});

test('other routes have no such header', async () => {
  const { headers } = await send(server.url, 'GET', '/words/current');
  expect(headers).not.toHaveProperty('deprecation');
  expect(headers).not.toHaveProperty('sunset');
});

test('the OpenAPI document marks the operation as deprecated', () => {
  const { paths } = buildOpenApiDocument(openApiContents(routes, { operations: [], webhooks: {} }));
  expect(paths['/words/old']!['get']).toMatchObject({
    deprecated: true,
    description: expect.stringContaining('since 2027-01-01; may end after 2027-12-31'),
    responses: { 200: { headers: { Deprecation: expect.anything(), Sunset: expect.anything() } } },
  });
  expect(paths['/words/current']!['get']).not.toHaveProperty('deprecated');
});
