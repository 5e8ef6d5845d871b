import {
  bearerIn,
  BUSY_SECONDS,
  nameBelow,
  paymentVendorSimulator,
  type WireAnswer,
  type WireRequest,
} from '../magic-reference.simulator.ts';

const MANDATES = '/mandates/';
const BANK_ACCOUNTS = '/customer_bank_accounts/';

/** Starts a simulator of the part of GoCardless's API that gangway uses. */
export const startGocardlessSimulator = paymentVendorSimulator({
  secretIn: bearerIn,
  referenceIn: (request) => nameBelow(request, MANDATES) ?? nameBelow(request, BANK_ACCOUNTS),
  other: () => error(404, 'invalid_api_usage', 'not_found'),
  found: (reference, request) => resource(request, reference, 'active', true),
  unknown: () => error(404, 'invalid_api_usage', 'resource_not_found'),
  revoked: (reference, request) => resource(request, reference, 'cancelled', false),
  pending: (reference, request) => resource(request, reference, 'pending_customer_approval', true),
  busy: () => ({
    ...error(429, 'invalid_api_usage', 'rate_limit_exceeded'),
    headers: { 'ratelimit-reset': new Date(Date.now() + BUSY_SECONDS * 1_000).toUTCString() },
  }),
  failing: () => error(500, 'gocardless', 'internal_server_error'),
  denied: () => error(401, 'invalid_api_usage', 'access_token_not_found'),
});

function resource(request: WireRequest, id: string, status: string, enabled: boolean): WireAnswer {
  const body = request.path.startsWith(MANDATES)
    ? { mandates: { id, status, scheme: 'sepa_core', reference: id } }
    : { customer_bank_accounts: { id, enabled, country_code: 'FR' } };
  return { status: 200, body };
}

function error(code: number, type: string, reason: string): WireAnswer {
  return {
    status: code,
    body: {
      error: {
        type,
        code,
        message: 'A text of the vendor',
        errors: [{ reason, message: 'A text of the vendor' }],
        request_id: 'simulated',
        documentation_url: 'https://developer.gocardless.com/',
      },
    },
  };
}
