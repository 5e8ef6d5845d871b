import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import { createGocardlessClient } from '../../../src/vendors/payment-vendor/gocardless/gocardless.client.ts';
import type { PaymentVendorPort } from '../../../src/vendors/payment-vendor/payment-vendor.port.ts';
import {
  ANY_VENDOR,
  outcomeOf,
  lenientLimits,
  startCannedVendor,
  VENDOR_TEXT,
  type Canned,
} from '../../support/canned-vendor.ts';

let client: PaymentVendorPort;
const vendor = await startCannedVendor();
afterAll(async () => {
  await client.close();
  await vendor.stop();
});
beforeEach(async () => {
  await client?.close();
  client = createGocardlessClient({
    baseUrl: vendor.url,
    limits: lenientLimits,
    accessToken: fixedSecret('first\nsecond'),
  });
});

const mandate = (status: unknown): Canned => ({ status: 200, body: { mandates: { id: 'MD1', status } } });
const error = (status: number, type: string, reason = 'reason'): Canned => ({
  status,
  body: { error: { type, code: status, message: VENDOR_TEXT, errors: [{ reason, message: VENDOR_TEXT }] } },
});

test.each<[string, Canned, string]>([
  ...['active', 'submitted', 'pending_submission'].map((status): [string, Canned, string] => [
    status,
    mandate(status),
    'usable',
  ]),
  ['pending_customer_approval', mandate('pending_customer_approval'), 'not-yet pending_customer_approval'],
  ...['failed', 'cancelled', 'expired', 'consumed', 'blocked', 'suspended_by_payer'].map(
    (status): [string, Canned, string] => [status, mandate(status), `VendorRejected ${status}`],
  ),
  ['an unpublished status', mandate(VENDOR_TEXT), 'VendorRejected unknown_status'],
  ['a status with a built-in name', mandate('constructor'), 'VendorRejected unknown_status'],
  ['404 invalid_api_usage', error(404, 'invalid_api_usage', 'resource_not_found'), 'VendorRejected not_found'],
  ['400 invalid_api_usage', error(400, 'invalid_api_usage'), 'VendorRejected invalid_reference'],
  ['422 validation_failed', error(422, 'validation_failed'), 'VendorRejected invalid_reference'],
  ['409 invalid_state', error(409, 'invalid_state'), 'VendorRejected invalid_reference'],
  [
    '429 with RateLimit-Reset',
    { status: 429, headers: { 'ratelimit-reset': new Date(Date.now() + 3_600_000).toUTCString() } },
    expect.stringMatching(/^VendorBusy 3[56]\d\d$/) as never,
  ],
  ['type gocardless', error(422, 'gocardless'), 'VendorUnavailable'],
  ['an error that is a string', { status: 400, body: { error: VENDOR_TEXT } }, 'VendorUnavailable'],
  ...ANY_VENDOR,
])('mandate, %s', async (_what, canned, outcome) => {
  vendor.answerWith(canned);
  expect(await outcomeOf(client, { reference: 'MD1' })).toEqual(outcome);
});

test.each<[string, unknown, string]>([
  ['enabled', { enabled: true }, 'usable'],
  ['disabled', { enabled: false }, 'VendorRejected disabled'],
  ['of another shape', { enabled: 'yes' }, 'VendorUnavailable'],
])('bank account, %s', async (_what, body, outcome) => {
  vendor.answerWith({ status: 200, body: { customer_bank_accounts: body } });
  expect(await outcomeOf(client, { reference: 'BA1' })).toBe(outcome);
  expect(vendor.seen.at(-1)?.url).toBe('/customer_bank_accounts/BA1');
});

test('sends the pinned version and the token, and keeps a reference one segment of the path', async () => {
  vendor.answerWith(mandate('active'));
  await outcomeOf(client, { reference: 'MD/../creditors?é#%2e' });
  expect(vendor.seen.at(-1)).toMatchObject({
    method: 'GET',
    url: '/mandates/MD%2F..%2Fcreditors%3F%C3%A9%23%252e',
    headers: { 'gocardless-version': '2015-07-06', authorization: 'Bearer first' },
  });
  const calls = vendor.seen.length;
  for (const reference of ['.', '..', '...']) {
    expect(await outcomeOf(client, { reference })).toBe('VendorRejected not_found');
  }
  expect(vendor.seen).toHaveLength(calls);
});

test('tries both secrets during a change, and prefers the accepted one from then on', async () => {
  vendor.answerByCall(({ headers }) =>
    headers['authorization'] === 'Bearer second' ? mandate('active') : { status: 401 },
  );
  const before = vendor.seen.length;
  expect([await outcomeOf(client), await outcomeOf(client)]).toEqual(['usable', 'usable']);
  expect(vendor.seen.slice(before).map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer first',
    'Bearer second',
    'Bearer second',
  ]);
  vendor.answerWith({ status: 401 });
  expect(await outcomeOf(client)).toBe('VendorMisconfigured');
});

test('makes no call without a secret', async () => {
  const before = vendor.seen.length;
  const bare = createGocardlessClient({
    baseUrl: vendor.url,
    limits: lenientLimits,
    accessToken: fixedSecret(undefined),
  });
  expect(await outcomeOf(bare)).toBe('VendorMisconfigured');
  await bare.close();
  expect(vendor.seen).toHaveLength(before);
});

test('reports three responses of another shape in a row as our fault', async () => {
  vendor.answerWith({ status: 200, body: {} });
  expect([await outcomeOf(client), await outcomeOf(client), await outcomeOf(client)]).toEqual([
    'VendorUnavailable',
    'VendorUnavailable',
    'VendorMisconfigured',
  ]);
});
