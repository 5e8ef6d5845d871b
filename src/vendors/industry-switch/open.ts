import { industrySwitchLimits } from '../../../temporal.config.ts';
import {
  type VendorWatch,
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorLimits,
} from '../../platform/vendor-http/vendor-http.ts';
import { fixedSecrets, type Secrets, type CurrentSecret } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import type { IndustrySwitch, SwitchAnswer } from './industry-switch.port.ts';
import { withSecrets, type AuthorisedCall } from '../../platform/vendor-http/with-secrets.ts';

/**
 * Opens the client of the industry switch. Connects at the first call.
 * @param watch receives the outcomes of calls
 * @param secrets read before each call
 * @returns undefined when no address is set
 */
export function openIndustrySwitch(
  settings: Settings,
  watch: VendorWatch = {},
  secrets: Secrets = fixedSecrets(settings),
): IndustrySwitch | undefined {
  const { INDUSTRY_SWITCH_URL: url } = settings;
  const credential = secrets.of('INDUSTRY_SWITCH_CREDENTIAL');
  return url === undefined
    ? undefined
    : createIndustrySwitch({ url, credential, limits: industrySwitchLimits, ...watch });
}

const VENDOR = 'The industry switch';
/** Rejections by status: an invalid request, or an unknown point. */
const REFUSED = new Set([404, 409, 422]);
/** Codes of the network operator's list; other values are not stored. */
const REASON_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Creates a client of the industry switch or of its simulator. */
export function createIndustrySwitch(
  options: { url: string; credential: CurrentSecret; limits: VendorLimits } & VendorWatch,
): IndustrySwitch {
  const { url, credential, limits, ...watch } = options;
  const http = createVendorHttp({ vendor: VENDOR, baseUrl: url.replace(/\/+$/, ''), limits, ...watch });
  const authorised = withSecrets(http, VENDOR, credential, (secret) => ({ authorization: `Bearer ${secret}` }));
  // No credential is needed if the party identifies callers in another way.
  const call: AuthorisedCall = (...given) => (credential.value() === undefined ? http.call : authorised)(...given);
  return {
    request: ({ requestId, importSupplier, externalAccountNumber, supplyPoint, supplyType, startDate }, signal) =>
      call(
        {
          method: 'POST',
          path: '/v1/switch-requests',
          headers: { 'content-type': 'application/json', accept: 'application/json', 'idempotency-key': requestId },
          body: JSON.stringify({
            request_id: requestId,
            supply_point_identifier: supplyPoint,
            supply_type: supplyType,
            start_date: startDate,
            reference: { import_supplier: importSupplier, external_account_number: externalAccountNumber },
          }),
          signal,
        },
        readAnswer,
      ),
    close: () => http.close(),
  };
}

/** @throws MalformedAnswer */
function readAnswer(answer: VendorAnswer): SwitchAnswer {
  const body = jsonOf(answer) as { status?: unknown; answered_at?: unknown; code?: unknown } | null;
  const answeredAt = new Date(typeof body?.answered_at === 'string' ? body.answered_at : '');
  if (Number.isNaN(answeredAt.getTime())) throw new MalformedAnswer('no answered_at');
  if (REFUSED.has(answer.status)) {
    const reason = typeof body?.code === 'string' && REASON_CODE.test(body.code) ? body.code : null;
    return { answer: 'REJECTED', answeredAt, reason };
  }
  const status = body?.status;
  if (answer.status > 202 || (status !== 'ACCEPTED' && status !== 'RECEIVED')) {
    throw new MalformedAnswer(`no status that is known, after ${answer.status}`);
  }
  return { answer: status, answeredAt, reason: null };
}
