import {
  bearerIn,
  BUSY_SECONDS,
  nameBelow,
  paymentVendorSimulator,
  type WireAnswer,
  type WireRequest,
} from '../magic-reference.simulator.ts';

const METHODS = '/v1/payment_methods/';
const MANDATES = '/v1/mandates/';

/** Starts a simulator of the part of Stripe's API that gangway uses. Mandates, and references that contain `sepa`, are direct debits. */
export const startStripeSimulator = paymentVendorSimulator({
  secretIn: bearerIn,
  referenceIn: (request) => nameBelow(request, METHODS) ?? nameBelow(request, MANDATES),
  other: () => error(404, 'invalid_request_error'),
  found: (reference, request) => resource(request, reference, 'active', 'cus_simulated'),
  unknown: () => error(404, 'invalid_request_error', 'resource_missing'),
  revoked: (reference, request) => resource(request, reference, 'inactive', null),
  pending: (reference, request) => resource(request, reference, 'pending', 'cus_simulated'),
  busy: () => ({
    ...error(429, 'invalid_request_error', 'rate_limit'),
    headers: { 'retry-after': String(BUSY_SECONDS) },
  }),
  failing: () => error(500, 'api_error'),
  denied: () => error(401, 'invalid_request_error'),
});

function resource(request: WireRequest, id: string, status: string, customer: string | null): WireAnswer {
  if (request.path.startsWith(MANDATES)) {
    return {
      status: 200,
      body: {
        id,
        object: 'mandate',
        status,
        type: 'multi_use',
        payment_method: 'pm_simulated',
        payment_method_details: { type: 'sepa_debit', sepa_debit: {} },
      },
    };
  }
  const type = /sepa/i.test(id) ? 'sepa_debit' : 'card';
  return { status: 200, body: { id, object: 'payment_method', type, customer, [type]: {} } };
}

function error(status: number, type: string, code?: string): WireAnswer {
  return {
    status,
    body: { error: { type, message: 'A text of the vendor', ...(code === undefined ? {} : { code, param: 'id' }) } },
  };
}
