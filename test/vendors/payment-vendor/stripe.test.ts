import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import type { PaymentVendorPort } from '../../../src/vendors/payment-vendor/payment-vendor.port.ts';
import { createStripeClient } from '../../../src/vendors/payment-vendor/stripe/stripe.client.ts';
import type { PaymentInstructionType } from '../../../src/vocabulary/value-sets.ts';
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
  client = createStripeClient({ baseUrl: vendor.url, limits: lenientLimits, secretKey: fixedSecret('first\nsecond') });
});

const method = (type: unknown, customer: unknown = 'cus_1'): Canned => ({
  status: 200,
  body: { id: 'pm_1', object: 'payment_method', type, customer },
});
const mandate = (status: unknown, type = 'sepa_debit'): Canned => ({
  status: 200,
  body: { id: 'mandate_1', object: 'mandate', status, payment_method_details: { type } },
});
const error = (status: number, members: object): Canned => ({
  status,
  body: { error: { message: VENDOR_TEXT, ...members } },
});

test.each<[string, PaymentInstructionType, string, Canned, string]>([
  ['a card', 'CARD', 'pm_1', method('card'), 'usable'],
  ['a card without a customer', 'CARD', 'pm_1', method('card', null), 'VendorRejected not_reusable'],
  ['a card without customer data', 'CARD', 'pm_1', { status: 200, body: { type: 'card' } }, 'VendorUnavailable'],
  ['a bank account for a card', 'CARD', 'pm_1', method('sepa_debit'), 'VendorRejected wrong_type'],
  ['a bank account', 'DIRECT_DEBIT', 'pm_1', method('sepa_debit'), 'usable'],
  ['a card for a bank account', 'DIRECT_DEBIT', 'pm_1', method('card'), 'VendorRejected wrong_type'],
  ['a mandate that is active', 'DIRECT_DEBIT', 'mandate_1', mandate('active'), 'usable'],
  ['one that is pending', 'DIRECT_DEBIT', 'mandate_1', mandate('pending'), 'not-yet pending'],
  ['one that is inactive', 'DIRECT_DEBIT', 'mandate_1', mandate('inactive'), 'VendorRejected inactive'],
  ['an unpublished mandate status', 'DIRECT_DEBIT', 'mandate_1', mandate(VENDOR_TEXT), 'VendorRejected unknown_status'],
  ['a mandate for cards', 'CARD', 'mandate_1', mandate('active', 'card'), 'usable'],
  [
    'a mandate for cards as a direct debit',
    'DIRECT_DEBIT',
    'mandate_1',
    mandate('active', 'card'),
    'VendorRejected wrong_type',
  ],
  [
    '404 resource_missing',
    'CARD',
    'pm_1',
    error(404, { type: 'invalid_request_error', code: 'resource_missing' }),
    'VendorRejected not_found',
  ],
  ['a 404 of another address', 'CARD', 'pm_1', error(404, { type: 'invalid_request_error' }), 'VendorUnavailable'],
  [
    '400 invalid_request_error',
    'CARD',
    'pm_1',
    error(400, { type: 'invalid_request_error' }),
    'VendorRejected invalid_reference',
  ],
  ['409', 'CARD', 'pm_1', error(409, { type: 'idempotency_error' }), 'VendorUnavailable'],
  ['429 lock_timeout', 'CARD', 'pm_1', error(429, { code: 'lock_timeout' }), 'VendorBusy 5'],
  ...ANY_VENDOR.map(([what, canned, outcome]): [string, PaymentInstructionType, string, Canned, string] => [
    what,
    'CARD',
    'pm_1',
    canned,
    outcome,
  ]),
])('%s as %s', async (_what, type, reference, canned, outcome) => {
  vendor.answerWith(canned);
  expect(await outcomeOf(client, { reference, type })).toBe(outcome);
});

test('sends the pinned version and the key, and chooses the call by the kind of reference', async () => {
  vendor.answerWith(method('card'));
  await outcomeOf(client, { reference: 'pm_1/../x', type: 'CARD' });
  expect(vendor.seen.at(-1)).toMatchObject({
    method: 'GET',
    url: '/v1/payment_methods/pm_1%2F..%2Fx',
    headers: { 'stripe-version': '2024-06-20', authorization: 'Bearer first' },
  });
  vendor.answerWith(mandate('active'));
  await outcomeOf(client, { reference: 'mandate_1' });
  expect(vendor.seen.at(-1)?.url).toBe('/v1/mandates/mandate_1');
});

test('accepts both keys during a change', async () => {
  vendor.answerByCall(({ headers }) =>
    headers['authorization'] === 'Bearer second' ? method('card') : { status: 401 },
  );
  expect(await outcomeOf(client, { type: 'CARD' })).toBe('usable');
});
