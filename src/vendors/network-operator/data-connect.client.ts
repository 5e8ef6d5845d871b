import {
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorLimits,
  type VendorWatch,
} from '../../platform/vendor-http/vendor-http.ts';
import type { CurrentSecret } from '../../platform/secrets/secrets.ts';
import { VendorBusy, VendorMisconfigured, VendorRejected, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import {
  factsOf,
  SupplyPointError,
  rejectedWith,
  UNKNOWN_POINT,
  type NetworkOperator,
  type SupplyPointFacts,
} from './network-operator.port.ts';
import { createOAuthCalls } from '../../platform/vendor-http/oauth-calls.ts';

export interface DataConnectOptions extends VendorWatch {
  baseUrl: string;
  clientId: string;
  clientSecret: CurrentSecret;
  limits: VendorLimits;
}

const VENDOR = 'Enedis Data Connect';
/** Statuses whose body contains the reason. */
const STATUSES_WITH_REASON = [403, 429, 500];
const UNKNOWN = new Set(['STM-ERR-0000019', 'STM-ERR-0000014', 'STM-ERR-0000020', 'no_data_found']);
const QUOTA_WAIT_SECONDS_UNSAID = 60;
const QUOTA_WAIT_SECONDS_MAX = 3_600;

/** Enedis by Data Connect: REST with OAuth2, `GET /usage_points/contracts`. */
export function createDataConnect({
  baseUrl,
  clientId,
  clientSecret,
  limits,
  ...watch
}: DataConnectOptions): NetworkOperator {
  const http = createVendorHttp({ vendor: VENDOR, baseUrl, limits, ...watch });
  const oauth = createOAuthCalls({ vendor: VENDOR, http, path: '/oauth2/v3/token', clientId, clientSecret });
  return {
    source: 'enedis-data-connect',
    lookup: (identifier, { signal, slot } = {}) =>
      oauth.call(
        http,
        {
          method: 'GET',
          path: `/customers_upc/v5/usage_points/contracts?usage_point_id=${encodeURIComponent(identifier)}`,
          headers: { accept: 'application/json' },
          signal,
          slot,
        },
        (answer) => read(answer, identifier),
        STATUSES_WITH_REASON,
      ),
    close: () => http.close(),
  };
}

function read(answer: VendorAnswer, identifier: string): SupplyPointFacts {
  if (answer.status !== 200) throw errorOf(answer);
  const { customer } = objectIn(jsonOf(answer));
  const points = objectIn(customer)['usage_points'];
  const found = (Array.isArray(points) ? points : [])
    .map(objectIn)
    .find(({ usage_point: point }) => objectIn(point)['usage_point_id'] === identifier);
  if (found === undefined) throw new MalformedAnswer('no such usage_point');
  const contracts = objectIn(found['contracts']);
  const point = objectIn(found['usage_point']);
  return factsOf({
    point_status: point['usage_point_status'],
    meter_type: point['meter_type'],
    segment: contracts['segment'],
    subscribed_power: contracts['subscribed_power'],
    distribution_tariff: contracts['distribution_tariff'],
    offpeak_hours: contracts['offpeak_hours'],
    contract_status: contracts['contract_status'],
    activation_date: contracts['last_activation_date'],
  });
}

/** Classifies an error by the party's own code. */
function errorOf(answer: VendorAnswer): Error {
  const { status } = answer;
  if (status === 429) return new VendorBusy(`${VENDOR} says that the quota is reached.`, secondsUntilAllowed(answer));
  const code = codeIn(answer);
  // Their firewall responds with an HTML page and blocks all our requests until an operator contacts them.
  if (code === undefined && (status === 404 || status === 403)) {
    return new VendorMisconfigured(
      `${VENDOR} answers with a page instead of data (${status}): their firewall blocks us, or the address is wrong.`,
    );
  }
  if (status === 500) return errorOfFailure(code);
  if (code === undefined) return new VendorUnavailable(`${VENDOR} fails without saying why (${status}).`);
  if (status === 404 && UNKNOWN.has(code)) {
    return new VendorRejected(`${VENDOR} does not know the supply point.`, UNKNOWN_POINT.enedis);
  }
  if (status === 403 && !code.startsWith('ADAM-DC-')) {
    return new VendorMisconfigured(`${VENDOR} rejects our calls (403): check rights and contract.`);
  }
  return rejectedWith(VENDOR, 'EPRM', code);
}

function errorOfFailure(code: string | undefined): VendorUnavailable {
  // May also mean a wrong identifier; after enough tries it counts as one.
  if (code === 'STM-ERR-0000001') {
    return new SupplyPointError(
      `${VENDOR} fails on the supply point (${code}).`,
      rejectedWith(VENDOR, 'EPRM', code).reason,
    );
  }
  if (code === 'ADAM-DC-0500') return new SupplyPointError(`${VENDOR} fails on the supply point (${code}).`);
  return new VendorUnavailable(`${VENDOR} fails (500).`);
}

/** The code in the body; undefined without valid JSON. In a 400 without a code, the sentence shows that the identifier is malformed. */
function codeIn(answer: VendorAnswer): string | undefined {
  try {
    const { error } = objectIn(JSON.parse(answer.text));
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** "Quota Q3 reached ... allowed on 14:05:10": a time of the day in Paris, or `Retry-After`. */
function secondsUntilAllowed({ text, headers }: VendorAnswer): number {
  const [, hour, minute, second = '0'] = /allowed on (?:\S+ )?(\d{1,2}):(\d{2})(?::(\d{2}))?/.exec(text) ?? [];
  const code = Number(headers['retry-after']);
  if (hour === undefined) return code > 0 ? Math.min(code, QUOTA_WAIT_SECONDS_MAX) : QUOTA_WAIT_SECONDS_UNSAID;
  const [nowHour = 0, nowMinute = 0, nowSecond = 0] = new Intl.DateTimeFormat('fr-FR', {
    timeZone: 'Europe/Paris',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
    .format(new Date())
    .split(':')
    .map(Number);
  const wait = (Number(hour) - nowHour) * 3_600 + (Number(minute) - nowMinute) * 60 + Number(second) - nowSecond;
  const ahead = (wait + 86_400) % 86_400;
  // A time that has just passed appears nearly a day ahead.
  return ahead > QUOTA_WAIT_SECONDS_MAX ? 1 : Math.max(ahead, 1);
}

function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
