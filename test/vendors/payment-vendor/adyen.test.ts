import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import { createAdyenClient } from '../../../src/vendors/payment-vendor/adyen/adyen.client.ts';
import type { PaymentVendorPort } from '../../../src/vendors/payment-vendor/payment-vendor.port.ts';
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
  client = createAdyenClient({
    baseUrl: vendor.url,
    limits: lenientLimits,
    apiKey: fixedSecret('first\nsecond'),
    merchantAccount: 'Merchant & Co',
  });
});

const stored = (...methods: object[]): Canned => ({
  status: 200,
  body: { merchantAccount: 'Merchant & Co', storedPaymentMethods: methods },
});
const method = (id: string, type: string, models: unknown = ['Subscription']) => ({
  id,
  type,
  supportedRecurringProcessingModels: models,
});
const error = (
  status: number,
  errorType: string,
  more: { errorCode?: string; headers?: Record<string, string> } = {},
): Canned => ({
  status,
  headers: more.headers ?? {},
  body: { status, errorCode: more.errorCode ?? '14_030', errorType, message: VENDOR_TEXT },
});

test.each<[string, PaymentInstructionType, Canned, string]>([
  ['a card', 'CARD', stored(method('8', 'scheme'), method('9', 'scheme')), 'usable'],
  ['a direct debit', 'DIRECT_DEBIT', stored(method('9', 'sepadirectdebit', ['UnscheduledCardOnFile'])), 'usable'],
  ['a direct debit for a card', 'CARD', stored(method('9', 'sepadirectdebit')), 'VendorRejected wrong_type'],
  [
    'a card that needs the shopper',
    'CARD',
    stored(method('9', 'scheme', ['CardOnFile'])),
    'VendorRejected not_reusable',
  ],
  ['a card without shopper data', 'CARD', stored({ id: '9', type: 'scheme' }), 'VendorUnavailable'],
  ['an unknown shopper: an empty 200', 'CARD', { status: 200, body: {} }, 'VendorRejected not_found'],
  ['a shopper without the reference', 'CARD', stored(method('90', 'scheme')), 'VendorRejected not_found'],
  ['a shopper without references', 'CARD', stored(), 'VendorRejected not_found'],
  ['422 validation', 'CARD', error(422, 'validation'), 'VendorRejected invalid_reference'],
  ['422 configuration', 'CARD', error(422, 'configuration'), 'VendorRejected invalid_reference'],
  ['400 security', 'CARD', error(400, 'security'), 'VendorMisconfigured'],
  ['422 internal', 'CARD', error(422, 'internal'), 'VendorUnavailable'],
  ['422 of code 704, in progress', 'CARD', error(422, 'validation', { errorCode: '704' }), 'VendorUnavailable'],
  ['409 of code 704, in progress', 'CARD', error(409, 'validation', { errorCode: '704' }), 'VendorUnavailable'],
  [
    'transient-error',
    'CARD',
    error(422, 'validation', { headers: { 'transient-error': 'true' } }),
    'VendorUnavailable',
  ],
  ['an unpublished error type', 'CARD', error(422, VENDOR_TEXT), 'VendorUnavailable'],
  ...ANY_VENDOR.map(([what, canned, outcome]): [string, PaymentInstructionType, Canned, string] => [
    what,
    'CARD',
    canned,
    outcome,
  ]),
])('%s as %s', async (_what, type, canned, outcome) => {
  vendor.answerWith(canned);
  expect(await outcomeOf(client, { reference: 'shopper/9', type })).toBe(outcome);
});

test.each([
  ['shopper-1/9', 'shopper-1'],
  ['a/b/9', 'a/b'],
  ['9', 'HOME-1'],
])('looks the reference %s up under the shopper %s', async (reference, shopper) => {
  vendor.answerWith(stored(method('9', 'scheme')));
  expect(await outcomeOf(client, { reference, type: 'CARD' })).toBe('usable');
  const { url, headers } = vendor.seen.at(-1)!;
  expect([url.split('?')[0], Object.fromEntries(new URLSearchParams(url.split('?')[1])), headers['x-api-key']]).toEqual(
    ['/v71/storedPaymentMethods', { merchantAccount: 'Merchant & Co', shopperReference: shopper }, 'first'],
  );
});

test('accepts both keys during a change, and makes no call without a merchant account', async () => {
  vendor.answerByCall(({ headers }) =>
    headers['x-api-key'] === 'second' ? stored(method('9', 'scheme')) : { status: 401 },
  );
  expect(await outcomeOf(client, { reference: '9', type: 'CARD' })).toBe('usable');
  const bare = createAdyenClient({
    baseUrl: vendor.url,
    limits: lenientLimits,
    apiKey: fixedSecret('second'),
    merchantAccount: undefined,
  });
  expect(await outcomeOf(bare, { reference: '9', type: 'CARD' })).toBe('VendorMisconfigured');
  await bare.close();
});
