import {
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorHttpOptions,
} from '../../../platform/vendor-http/vendor-http.ts';
import { VendorUnavailable } from '../../../vocabulary/vendor-errors.ts';
import type { PaymentInstructionType } from '../../../vocabulary/value-sets.ts';
import type { CurrentSecret } from '../../../platform/secrets/secrets.ts';
import { withSecrets } from '../../../platform/vendor-http/with-secrets.ts';
import type { InstructionState, PaymentVendorPort } from '../payment-vendor.port.ts';
import { at, classifyStatus, pathPart, rejection, textIn, type StatusTable } from '../vendor-answer.client.ts';
import { tableOf } from '../../../foundation/table.ts';

const VENDOR = 'Stripe';
/** Version of the API that this client was written for. */
export const STRIPE_VERSION = '2024-06-20';

/** Statuses of mandates. */
const MANDATES: StatusTable = tableOf({ active: 'usable', pending: 'not-yet', inactive: 'refused' });

/** Stripe's names of the payment methods for each of our types. */
const METHODS: Readonly<Record<PaymentInstructionType, readonly string[]>> = {
  CARD: ['card'],
  DIRECT_DEBIT: ['sepa_debit', 'bacs_debit'],
};

/** A client of Stripe: mandates (`mandate_...`) and payment methods (`pm_...`). */
export function createStripeClient(
  options: Omit<VendorHttpOptions, 'vendor'> & { secretKey: CurrentSecret },
): PaymentVendorPort {
  const http = createVendorHttp({ ...options, vendor: VENDOR });
  const call = withSecrets(http, VENDOR, options.secretKey, (key) => ({ authorization: `Bearer ${key}` }));
  const headers = { 'stripe-version': STRIPE_VERSION, accept: 'application/json' };
  return {
    check: async ({ reference, type }, signal) => {
      const isMandate = reference.startsWith('mandate_');
      const path = `/v1/${isMandate ? 'mandates' : 'payment_methods'}/${pathPart(VENDOR, reference)}`;
      return call({ method: 'GET', path, headers, signal }, (answer) =>
        answer.status === 200 ? stateOf(jsonOf(answer), type, isMandate) : refuse(answer),
      );
    },
    close: () => http.close(),
  };
}

function stateOf(body: unknown, type: PaymentInstructionType, isMandate: boolean): InstructionState {
  const method = isMandate ? textIn(body, 'payment_method_details', 'type') : textIn(body, 'type');
  if (!METHODS[type].includes(method)) throw rejection(VENDOR, 'wrong_type');
  if (isMandate) return classifyStatus(VENDOR, MANDATES, textIn(body, 'status'));
  // A payment method that belongs to no customer can be charged once at most.
  const customer = at(body, ['customer']);
  if (customer === undefined || (customer !== null && typeof customer !== 'string')) {
    throw new MalformedAnswer('no text at customer');
  }
  if (customer === null) throw rejection(VENDOR, 'not_reusable');
  return { kind: 'usable' };
}

/** A 404 without `resource_missing` does not come from Stripe's API. */
function refuse(answer: VendorAnswer): never {
  if (answer.status === 409) throw new VendorUnavailable(`${VENDOR} has the same call in flight (409).`);
  const error = at(jsonOf(answer), ['error']);
  if (at(error, ['code']) === 'resource_missing') throw rejection(VENDOR, 'not_found');
  if (answer.status !== 404 && at(error, ['type']) === 'invalid_request_error') {
    throw rejection(VENDOR, 'invalid_reference');
  }
  throw new MalformedAnswer(`status ${answer.status} without an error that is known`);
}
