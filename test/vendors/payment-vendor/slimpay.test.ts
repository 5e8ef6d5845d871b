import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import type { PaymentVendorPort } from '../../../src/vendors/payment-vendor/payment-vendor.port.ts';
import { createSlimpayClient } from '../../../src/vendors/payment-vendor/slimpay/slimpay.client.ts';
import {
  ANY_VENDOR,
  outcomeOf,
  lenientLimits,
  startCannedVendor,
  VENDOR_TEXT,
  type Canned,
  type ReceivedCall,
} from '../../support/canned-vendor.ts';

let client: PaymentVendorPort;
const vendor = await startCannedVendor();
afterAll(async () => {
  await client.close();
  await vendor.stop();
});
const open = (more: object = {}) =>
  createSlimpayClient({
    baseUrl: vendor.url,
    limits: lenientLimits,
    clientId: 'client',
    clientSecret: fixedSecret('first\nsecond'),
    creditorReference: 'creditor 1',
    ...more,
  });
beforeEach(async () => {
  await client?.close();
  client = open();
});

const TOKEN: Canned = { status: 200, body: { access_token: 'token-1', token_type: 'bearer', expires_in: 3_600 } };
const entryPoint = (href = `${vendor.url}/mandates{?creditorReference,reference}`): Canned => ({
  status: 200,
  body: { _links: { 'https://api.slimpay.net/alps#search-mandates': { href, templated: true } } },
});
const mandate = (state: unknown, reference = 'REF-1') => ({ id: '1', reference, state });
const page = (...mandates: object[]): Canned => ({ status: 200, body: { page: {}, _embedded: { mandates } } });

/** A valid token and entry point, and the search as the test requires. */
const search = (canned: Canned, more: (call: ReceivedCall) => Canned | undefined = () => undefined) => {
  vendor.answerByCall(
    (call) => more(call) ?? (call.url === '/oauth/token' ? TOKEN : call.url === '/' ? entryPoint() : canned),
  );
};
const callsSince = (start: number) =>
  vendor.seen.slice(start).map(({ method, url }) => `${method} ${url.split('?')[0]}`);

test.each<[string, Canned, string]>([
  ['active', page(mandate('active')), 'usable'],
  ...['created', 'waitingForReference', 'waitingForValidation'].map((state): [string, Canned, string] => [
    state,
    page(mandate(state)),
    `not-yet ${state}`,
  ]),
  ...['rejected', 'revoked', 'expired'].map((state): [string, Canned, string] => [
    state,
    page(mandate(state)),
    `VendorRejected ${state}`,
  ]),
  ['an unpublished state', page(mandate(VENDOR_TEXT)), 'VendorRejected unknown_status'],
  ['the mandate itself instead of a page', { status: 200, body: mandate('active') }, 'usable'],
  ['other mandates beside it', page(mandate('revoked', 'REF-10'), mandate('active', 'ref-1')), 'usable'],
  ['other mandates only', page(mandate('active', 'REF-10')), 'VendorRejected not_found'],
  ['an empty page', { status: 200, body: { page: { totalElements: 0 } } }, 'VendorRejected not_found'],
  ['404', { status: 404, body: { code: 906, message: VENDOR_TEXT } }, 'VendorRejected not_found'],
  ['400', { status: 400, body: { code: 100, message: VENDOR_TEXT } }, 'VendorRejected invalid_reference'],
  ...ANY_VENDOR.filter(([what]) => !['a 404 without JSON', 'JSON of another shape'].includes(what)),
  ['JSON of another shape', { status: 200, body: { _embedded: 5 } }, 'VendorUnavailable'],
])('%s', async (_what, canned, outcome) => {
  search(canned);
  expect(await outcomeOf(client)).toBe(outcome);
});

test('obtains a token and reads the entry point once, and searches by creditor and reference', async () => {
  search(page(mandate('active', 'RUM 1/é')));
  const start = vendor.seen.length;
  expect([
    await outcomeOf(client, { reference: 'RUM 1/é' }),
    await outcomeOf(client, { reference: 'RUM 1/é' }),
  ]).toEqual(['usable', 'usable']);
  expect(callsSince(start)).toEqual(['POST /oauth/token', 'GET /', 'GET /mandates', 'GET /mandates']);
  const [token, , found] = vendor.seen.slice(start);
  expect(token).toMatchObject({
    body: 'grant_type=client_credentials&scope=api',
    headers: { authorization: `Basic ${Buffer.from('client:first').toString('base64')}` },
  });
  expect(found).toMatchObject({
    headers: {
      authorization: 'Bearer token-1',
      accept: 'application/hal+json; profile="https://api.slimpay.net/alps/v1"',
    },
  });
  expect(Object.fromEntries(new URLSearchParams(found!.url.split('?')[1]))).toEqual({
    creditorReference: 'creditor 1',
    reference: 'RUM 1/é',
  });
});

test('renews a revoked token once, and reports a second rejection as our fault', async () => {
  let tokens = 0;
  let holds = 'token-1';
  search(page(mandate('active')), ({ url, headers }) => {
    if (url === '/oauth/token') {
      return { status: 200, body: { access_token: `token-${(tokens += 1)}`, expires_in: 3_600 } };
    }
    return headers['authorization'] === `Bearer ${holds}` ? undefined : { status: 401 };
  });
  expect(await outcomeOf(client)).toBe('usable');
  holds = 'token-2';
  expect([await outcomeOf(client), tokens]).toEqual(['usable', 2]);
  holds = 'none';
  expect([await outcomeOf(client), tokens]).toEqual(['VendorMisconfigured', 3]);
});

test('renews a token before it expires', async () => {
  let tokens = 0;
  search(page(mandate('active')), ({ url }) =>
    url === '/oauth/token'
      ? { status: 200, body: { access_token: `token-${(tokens += 1)}`, expires_in: 1e-9 } }
      : undefined,
  );
  expect([await outcomeOf(client), tokens > 1]).toEqual(['usable', true]);
});

test.each<[string, Canned, string]>([
  ['401 for both secrets', { status: 401 }, 'VendorMisconfigured'],
  ['400', { status: 400, body: { error: 'invalid_client', error_description: VENDOR_TEXT } }, 'VendorMisconfigured'],
  ['500', { status: 500 }, 'VendorUnavailable'],
  ['429', { status: 429, headers: { 'retry-after': '9' } }, 'VendorBusy 9'],
  ['a response without a token', { status: 200, body: { expires_in: 5 } }, 'VendorUnavailable'],
  ['a token without an end', { status: 200, body: { access_token: 'x' } }, 'VendorUnavailable'],
])('classifies a token that cannot be obtained: %s', async (_what, canned, outcome) => {
  search(page(mandate('active')), ({ url }) => (url === '/oauth/token' ? canned : undefined));
  expect(await outcomeOf(client)).toBe(outcome);
});

test('accepts both client secrets during a change', async () => {
  search(page(mandate('active')), ({ url, headers }) =>
    url === '/oauth/token' && headers['authorization'] !== `Basic ${Buffer.from('client:second').toString('base64')}`
      ? { status: 401 }
      : undefined,
  );
  expect(await outcomeOf(client)).toBe('usable');
});

test.each([
  ['another host', 'http://127.0.0.1:9/mandates{?reference}'],
  ['another scheme', 'file:///etc/passwd'],
  ['no address', 'http://'],
])('does not follow a link to %s with our token', async (_what, href) => {
  search(page(mandate('active')), ({ url }) => (url === '/' ? entryPoint(href) : undefined));
  expect(await outcomeOf(client)).toBe('VendorUnavailable');
});

test('keeps the path of an address', async () => {
  await client.close();
  client = open({ baseUrl: `${vendor.url}/sandbox` });
  vendor.answerByCall(({ url }) =>
    url === '/sandbox/oauth/token'
      ? TOKEN
      : url === '/sandbox/'
        ? entryPoint('/sandbox/mandates{?reference}')
        : url.startsWith('/sandbox/mandates?')
          ? page(mandate('active'))
          : { status: 500 },
  );
  expect(await outcomeOf(client)).toBe('usable');
});

test('makes no call without client id or creditor', async () => {
  for (const more of [{ clientId: undefined }, { creditorReference: undefined }]) {
    const bare = open(more);
    expect(await outcomeOf(bare)).toBe('VendorMisconfigured');
    await bare.close();
  }
});
