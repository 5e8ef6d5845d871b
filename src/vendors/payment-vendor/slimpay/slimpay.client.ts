import {
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorHttpOptions,
} from '../../../platform/vendor-http/vendor-http.ts';
import { VendorMisconfigured } from '../../../vocabulary/vendor-errors.ts';
import type { CurrentSecret } from '../../../platform/secrets/secrets.ts';
import { withSecrets } from '../../../platform/vendor-http/with-secrets.ts';
import { createTokenCalls, tokenIn, type OAuthToken } from '../../../platform/vendor-http/oauth-calls.ts';
import type { InstructionState, PaymentVendorPort } from '../payment-vendor.port.ts';
import { classifyStatus, objectIn, objectsIn, rejection, textIn, type StatusTable } from '../vendor-answer.client.ts';
import { tableOf } from '../../../foundation/table.ts';

const VENDOR = 'SlimPay';
/** Version of the API that this client was written for. */
export const SLIMPAY_VERSION = 'alps/v1';
const PROFILE = `application/hal+json; profile="https://api.slimpay.net/${SLIMPAY_VERSION}"`;
const SEARCH_MANDATES = 'https://api.slimpay.net/alps#search-mandates';

/** States of mandates. */
const MANDATES: StatusTable = tableOf({
  created: 'not-yet',
  waitingForReference: 'not-yet',
  waitingForValidation: 'not-yet',
  active: 'usable',
  rejected: 'refused',
  revoked: 'refused',
  expired: 'refused',
});

export interface SlimpayOptions extends Omit<VendorHttpOptions, 'vendor'> {
  clientId: string | undefined;
  clientSecret: CurrentSecret;
  /** The creditor whose mandates are searched. */
  creditorReference: string | undefined;
}

/** A client of SlimPay: mandates by the creditor's own reference, found by following the links of its entry point. */
export function createSlimpayClient(options: SlimpayOptions): PaymentVendorPort {
  const http = createVendorHttp({ ...options, vendor: VENDOR });
  const requestToken = withSecrets(http, VENDOR, options.clientSecret, (secret) => ({
    authorization: `Basic ${Buffer.from(`${options.clientId}:${secret}`).toString('base64')}`,
  }));
  const tokens = createTokenCalls(() => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const body = 'grant_type=client_credentials&scope=api';
    return requestToken({ method: 'POST', path: '/oauth/token', headers, body }, tokenOf);
  });
  let searchPath: string | undefined;
  const get = <T>(path: string, signal: AbortSignal, read: (answer: VendorAnswer) => T): Promise<T> =>
    tokens.call(http, { method: 'GET', path, headers: { accept: PROFILE }, signal }, read);

  return {
    check: async ({ reference }, signal) => {
      if (!options.clientId || !options.creditorReference) {
        throw new VendorMisconfigured(`${VENDOR} has no client id or creditor reference set.`);
      }
      searchPath ??= await get('/', signal, (answer) => searchPathOf(answer, options.baseUrl));
      const query = new URLSearchParams({ creditorReference: options.creditorReference, reference });
      return get(`${searchPath}?${query.toString()}`, signal, (answer) => stateOf(answer, reference));
    },
    close: () => http.close(),
  };
}

function tokenOf(answer: VendorAnswer): OAuthToken {
  if (answer.status !== 200) {
    throw new VendorMisconfigured(`${VENDOR} gives us no token (${answer.status}): check client id and secret.`);
  }
  if (typeof objectIn(jsonOf(answer))['expires_in'] !== 'number') throw new MalformedAnswer('no number at expires_in');
  return tokenIn(answer);
}

/** Reads the path of the search from the links of the entry point. Rejects links to another host, which would receive our token. */
function searchPathOf(answer: VendorAnswer, baseUrl: string): string {
  if (answer.status !== 200) throw new MalformedAnswer(`status ${answer.status} at the entry point`);
  const href = textIn(jsonOf(answer), '_links', SEARCH_MANDATES, 'href').replace(/\{[^}]*\}$/, '');
  const base = new URL(baseUrl);
  const target = URL.canParse(href, baseUrl) ? new URL(href, baseUrl) : undefined;
  const prefix = base.pathname === '/' ? '' : base.pathname;
  if (target?.origin !== base.origin || !target.pathname.startsWith(`${prefix}/`)) {
    throw new MalformedAnswer('a link to another host');
  }
  return target.pathname.slice(prefix.length);
}

/** Finds the mandate with this reference. A search may return the mandate itself or a page of mandates. */
function stateOf(answer: VendorAnswer, reference: string): InstructionState {
  if (answer.status === 404) throw rejection(VENDOR, 'not_found');
  if (answer.status !== 200) throw rejection(VENDOR, 'invalid_reference');
  const body = objectIn(jsonOf(answer));
  const found =
    typeof body['state'] === 'string'
      ? [body]
      : body['_embedded'] === undefined
        ? []
        : objectsIn(body, '_embedded', 'mandates');
  // Banks ignore the case of mandate references.
  const mandate = found.find((one) => textIn(one, 'reference').toUpperCase() === reference.toUpperCase());
  if (mandate === undefined) throw rejection(VENDOR, 'not_found');
  return classifyStatus(VENDOR, MANDATES, textIn(mandate, 'state'));
}
