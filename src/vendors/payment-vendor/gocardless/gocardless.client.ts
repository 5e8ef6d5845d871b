import {
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorHttpOptions,
} from '../../../platform/vendor-http/vendor-http.ts';
import { busyFor } from '../../../platform/vendor-http/vendor-faults.ts';
import { VendorUnavailable } from '../../../vocabulary/vendor-errors.ts';
import type { CurrentSecret } from '../../../platform/secrets/secrets.ts';
import { withSecrets } from '../../../platform/vendor-http/with-secrets.ts';
import type { InstructionState, PaymentVendorPort } from '../payment-vendor.port.ts';
import {
  at,
  classifyStatus,
  objectIn,
  pathPart,
  rejection,
  textIn,
  type StatusTable,
} from '../vendor-answer.client.ts';
import { tableOf } from '../../../foundation/table.ts';

const VENDOR = 'GoCardless';
/** Version of the API that this client was written for. */
export const GOCARDLESS_VERSION = '2015-07-06';

/** Statuses of mandates. */
const MANDATES: StatusTable = tableOf({
  pending_customer_approval: 'not-yet',
  pending_submission: 'usable',
  submitted: 'usable',
  active: 'usable',
  failed: 'refused',
  cancelled: 'refused',
  expired: 'refused',
  consumed: 'refused',
  blocked: 'refused',
  suspended_by_payer: 'refused',
});

/** A client of GoCardless: mandates (`MD...`) and customer bank accounts (`BA...`). */
export function createGocardlessClient(
  options: Omit<VendorHttpOptions, 'vendor'> & { accessToken: CurrentSecret },
): PaymentVendorPort {
  const http = createVendorHttp({ ...options, vendor: VENDOR });
  const call = withSecrets(http, VENDOR, options.accessToken, (token) => ({ authorization: `Bearer ${token}` }));
  const headers = { 'gocardless-version': GOCARDLESS_VERSION, accept: 'application/json' };
  return {
    check: async ({ reference }, signal) => {
      const resource = reference.startsWith('BA') ? 'customer_bank_accounts' : 'mandates';
      const path = `/${resource}/${pathPart(VENDOR, reference)}`;
      return call({ method: 'GET', path, headers, signal }, (answer) => stateOf(answer, resource), [429]);
    },
    close: () => http.close(),
  };
}

function stateOf(answer: VendorAnswer, resource: 'mandates' | 'customer_bank_accounts'): InstructionState {
  if (answer.status === 429) throw busyFor(VENDOR, answer.headers, 'ratelimit-reset');
  if (answer.status !== 200) throw errorOf(answer);
  const body = jsonOf(answer);
  if (resource === 'mandates') return classifyStatus(VENDOR, MANDATES, textIn(body, 'mandates', 'status'));
  const isEnabled = objectIn(body, 'customer_bank_accounts')['enabled'];
  if (typeof isEnabled !== 'boolean') throw new MalformedAnswer('no flag at customer_bank_accounts.enabled');
  if (!isEnabled) throw rejection(VENDOR, 'disabled');
  return { kind: 'usable' };
}

/** Classifies an error by its `type`; an unpublished type counts as a failure of the vendor. */
function errorOf(answer: VendorAnswer): Error {
  const body = jsonOf(answer);
  switch (at(body, ['error', 'type'])) {
    case 'invalid_api_usage':
      return rejection(VENDOR, answer.status === 404 ? 'not_found' : 'invalid_reference');
    case 'validation_failed':
    case 'invalid_state':
      return rejection(VENDOR, 'invalid_reference');
    default:
      return new VendorUnavailable(`${VENDOR} fails (${answer.status}).`);
  }
}
