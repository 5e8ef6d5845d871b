import {
  BUSY_SECONDS,
  paymentVendorSimulator,
  type SimulatedVendor,
  type WireAnswer,
} from '../magic-reference.simulator.ts';

const MODELS = ['Subscription', 'CardOnFile', 'UnscheduledCardOnFile'];

const adyen: SimulatedVendor = {
  secretIn: ({ headers }) => headers['x-api-key'] as string | undefined,
  referenceIn: ({ path, query }) =>
    path === '/v71/storedPaymentMethods' ? (query.get('shopperReference') ?? undefined) : undefined,
  other: () => error(404, '000', 'validation'),
  found: (shopper) =>
    stored(shopper, [
      method('CARD-1', 'scheme', MODELS),
      method('SEPA-1', 'sepadirectdebit', MODELS),
      method('ONCE-1', 'scheme', ['CardOnFile']),
    ]),
  // Adyen responds with an empty object instead of an error.
  unknown: () => ({ status: 200, body: {} }),
  revoked: (shopper) => stored(shopper, []),
  pending: (shopper, request) => adyen.found(shopper, request),
  busy: () => ({ ...error(429, '029', 'internal'), headers: { 'retry-after': String(BUSY_SECONDS) } }),
  failing: () => error(500, '905', 'internal'),
  denied: () => error(401, '000', 'security'),
};

/**
 * Starts a simulator of the part of Adyen's API that gangway uses. Every shopper has a card `CARD-1`, a direct debit `SEPA-1` and a card
 * for one payment, `ONCE-1`. Magic words are in the shopper reference, because Adyen is queried by it.
 */
export const startAdyenSimulator = paymentVendorSimulator(adyen);

function method(id: string, type: string, supportedRecurringProcessingModels: string[]) {
  return {
    id,
    type,
    supportedRecurringProcessingModels,
    supportedShopperInteractions: ['Ecommerce', 'ContAuth'],
    name: type,
  };
}

function stored(shopperReference: string, storedPaymentMethods: object[]): WireAnswer {
  return { status: 200, body: { merchantAccount: 'simulated', shopperReference, storedPaymentMethods } };
}

function error(status: number, errorCode: string, errorType: string): WireAnswer {
  return {
    status,
    body: { status, errorCode, message: 'A text of the vendor', errorType, pspReference: 'SIMULATED0000001' },
  };
}
