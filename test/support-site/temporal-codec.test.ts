import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createPayloadCodec } from '../../src/platform/temporal/payload-codec.ts';
import { workflowIds } from '../../temporal.config.ts';
import { startBrowser } from '../support/browser.ts';
import { points, startPopulation } from '../support/population.ts';
import { startSite } from '../support/support-site.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

// The endpoint that lets Temporal's web UI show encrypted payloads (docs/running/temporal-web-ui.md).

const key = randomBytes(32);
const UI = process.env['TEST_TEMPORAL_UI'] as string;
const service = await startPopulation({ settings: { TEMPORAL_PAYLOAD_KEY: key.toString('base64') } });
const NAMESPACE = service.settings.TEMPORAL_NAMESPACE;
const url = `http://127.0.0.1:${await reservePort()}`;
const site = await startSite(service, {
  SUPPORT_SITE_PORT: new URL(url).port,
  SUPPORT_SITE_URL: url,
  TEMPORAL_UI_URL: UI,
  TEMPORAL_PAYLOAD_KEY: key.toString('base64'),
});
const browser = await startBrowser();
afterAll(async () => {
  await browser.stop();
  await site.stop();
  await service.stop();
});

const codec = createPayloadCodec([key]);
const WORKFLOW = { type: 'workflow', namespace: NAMESPACE, workflowId: 'import-job/J1' } as const;
const plain = defaultPayloadConverter.toPayload({ account: 'A-1' });
const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
const wire = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
  data: base64(data),
});
const encrypted = async (workflow: string | undefined, keys = codec) =>
  wire((await keys.encode([plain], workflow === undefined ? undefined : { ...WORKFLOW, workflowId: workflow }))[0]!);

interface Call {
  cookie?: string;
  origin?: string;
  namespace?: string;
  body?: unknown;
  method?: string;
  path?: string;
}
const call = async ({
  cookie = '',
  origin = UI,
  namespace = NAMESPACE,
  body,
  method = 'POST',
  path = 'decode',
}: Call) => {
  const answer = await fetch(`${site.url}/temporal-codec/${path}?preserveStorageRefs=true`, {
    method,
    headers: { cookie, origin, 'x-namespace': namespace, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
};
const entries = async () =>
  (
    await service.database.pool.query(
      `select actor_name, subject, before, after from audit_entry where action = 'temporal_payload.decoded' order by at, id`,
    )
  ).rows;

test('decodes payloads for an operator, and audits each workflow once', async () => {
  const { cookie } = await site.signedIn('operate');
  const body = {
    payloads: [await encrypted('import-job/J1'), wire(plain), await encrypted('wave/W1'), await encrypted(undefined)],
  };
  const answer = await call({ cookie, body });
  expect(answer).toMatchObject({ status: 200, body: { payloads: Array.from({ length: 4 }, () => wire(plain)) } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
  expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('vary')).toBe('origin');
  expect((await call({ cookie, body })).status).toBe(200);
  const by = { actor_name: 'staff operate / Ada', before: null, after: null };
  expect(await entries()).toEqual([
    { ...by, subject: `temporal/${NAMESPACE}/import-job/J1` },
    { ...by, subject: `temporal/${NAMESPACE}/wave/W1` },
    { ...by, subject: `temporal/${NAMESPACE}` },
  ]);
});

test('returns payloads that it cannot decrypt as they are, without an audit entry', async () => {
  const before = await entries();
  const { cookie } = await site.signedIn('all');
  const sealed = await encrypted('wave/W2');
  const bytes = Buffer.from(sealed.data, 'base64');
  bytes[20]! ^= 1;
  const payloads = [
    await encrypted('wave/W2', createPayloadCodec([randomBytes(32)])),
    { ...sealed, data: bytes.toString('base64') },
    { ...sealed, data: '' },
    wire(plain),
  ];
  expect(await call({ cookie, body: { payloads } })).toMatchObject({ status: 200, body: { payloads } });
  expect(await entries()).toEqual(before);
});

test('rejects every other caller, before it reads the body', async () => {
  const before = await entries();
  const body = { payloads: [await encrypted('wave/W3')] };
  const { cookie } = await site.signedIn('operate');
  const viewer = await site.signedIn('read');
  const rejected: [Call, number, string][] = [
    [{}, 401, 'not_authenticated'],
    [{ cookie: 'gangway=gws_unknown' }, 401, 'not_authenticated'],
    [{ cookie: viewer.cookie }, 403, 'permission_denied'],
    [{ cookie, origin: 'https://elsewhere.example' }, 403, 'permission_denied'],
    [{ cookie, origin: site.url }, 403, 'permission_denied'],
    [{ cookie, origin: 'null' }, 403, 'permission_denied'],
    [{ cookie, namespace: 'another' }, 403, 'permission_denied'],
  ];
  for (const [given, status, code] of rejected) {
    const answer = await call({ body, ...given });
    expect({ given, ...answer }).toMatchObject({ given, status, body: { code } });
    const isUi = (given.origin ?? UI) === UI;
    expect(answer.headers.get('access-control-allow-origin')).toBe(isUi ? UI : null);
  }
  expect(await entries()).toEqual(before);
});

test('rejects bodies that are no payloads, or too large', async () => {
  const { cookie } = await site.signedIn('operate');
  for (const body of [
    {},
    [],
    { payloads: {} },
    { payloads: [null] },
    { payloads: [{ data: 1 }] },
    { payloads: [{ metadata: { encoding: {} } }] },
  ]) {
    expect(await call({ cookie, body })).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  }
  const many = { payloads: Array.from({ length: 1_001 }, () => ({})) };
  expect(await call({ cookie, body: many })).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(await call({ cookie, body: '{' })).toMatchObject({ status: 400, body: { code: 'parse_error' } });
  const large = { payloads: [{ data: 'A'.repeat(4 * 1_048_576) }] };
  expect(await call({ cookie, body: large })).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
});

test('limits the requests of a person', async () => {
  const { cookie } = await site.signedIn('operate');
  const body = { payloads: [] };
  let answer = await call({ cookie, body });
  for (let sent = 1; sent < 1_300 && answer.status === 200; sent += 1) answer = await call({ cookie, body });
  expect(answer).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  // Other people are not affected.
  expect((await call({ cookie: (await site.signedIn('operate')).cookie, body })).status).toBe(200);
});

test('answers preflight requests of the web UI only, and does not encode', async () => {
  const preflight = await call({ method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': UI,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, x-namespace',
  });
  const foreign = await call({ method: 'OPTIONS', origin: 'https://elsewhere.example' });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const { cookie } = await site.signedIn('all');
  for (const path of ['encode', 'download']) {
    expect((await call({ cookie, path, body: { payloads: [] } })).status).toBe(404);
  }
});

test("does not exist without a payload key or Temporal's web UI", async () => {
  const keyless = await startSite(service, { TEMPORAL_UI_URL: UI });
  const { status } = await fetch(`${keyless.url}/temporal-codec/decode`, { method: 'POST' });
  await keyless.stop();
  expect(status).toBe(404);
});

test("lets Temporal's web UI show the input of a run to a person who is signed in", async () => {
  const batch = await service.populate([], points(1, 71_000_000_000_000));
  const workflowId = workflowIds.populateSupplyPoints(batch);
  const visitor = await site.signedIn('operate');
  const { page } = await browser.page();
  page.setDefaultTimeout(60_000);
  const [name, value] = visitor.cookie.split(/=(.*)/s) as [string, string];
  await page.context().addCookies([{ name, value, url: site.url, sameSite: 'Lax', httpOnly: true }]);
  // What people set in the web UI, or TEMPORAL_CODEC_ENDPOINT and TEMPORAL_CODEC_INCLUDE_CREDENTIALS for all.
  await page.addInitScript(
    ([endpoint]) => {
      const { localStorage } = globalThis as unknown as {
        localStorage: { setItem(name: string, value: string): void };
      };
      localStorage.setItem('endpoint', JSON.stringify(endpoint));
      localStorage.setItem('includeCredentials', 'true');
      localStorage.setItem('overrideRemoteCodecConfiguration', 'true');
    },
    [`${site.url}/temporal-codec`],
  );
  const decoded = page.waitForResponse((one) => one.url().includes('/temporal-codec/decode') && one.status() === 200);
  await page.goto(`${UI}/namespaces/${NAMESPACE}/workflows/${encodeURIComponent(workflowId)}`);
  await decoded;
  await page.getByText(batch).nth(1).waitFor();
  await page.getByText(`"batchId"`).first().waitFor();
  await until(async () => (await entries()).some(({ subject }) => subject === `temporal/${NAMESPACE}/${workflowId}`));
}, 180_000);
