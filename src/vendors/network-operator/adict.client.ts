import {
  createVendorHttp,
  MalformedAnswer,
  type VendorAnswer,
  type VendorLimits,
  type VendorWatch,
} from '../../platform/vendor-http/vendor-http.ts';
import type { CurrentSecret } from '../../platform/secrets/secrets.ts';
import { VendorMisconfigured, VendorRejected, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import {
  factsOf,
  SupplyPointError,
  rejectedWith,
  type NetworkOperator,
  type SupplyPointFacts,
} from './network-operator.port.ts';
import { createOAuthCalls } from '../../platform/vendor-http/oauth-calls.ts';

export interface AdictOptions extends VendorWatch {
  baseUrl: string;
  /** Full address of the token endpoint, which GRDF serves on another host. */
  tokenUrl: string;
  clientId: string;
  clientSecret: CurrentSecret;
  limits: VendorLimits;
}

const VENDOR = 'GRDF ADICT';
/** Error statuses whose body contains the error. */
const STATUSES_WITH_REASON = [403, 500];

/** GRDF by ADICT: REST with OAuth2; responses are NDJSON, and a 200 can contain an error. */
export function createAdict({
  baseUrl,
  tokenUrl,
  clientId,
  clientSecret,
  limits,
  ...watch
}: AdictOptions): NetworkOperator {
  const http = createVendorHttp({ vendor: VENDOR, baseUrl, limits, ...watch });
  const { origin, pathname } = new URL(tokenUrl);
  const tokens = createVendorHttp({ vendor: VENDOR, baseUrl: origin, limits, ...watch });
  const oauth = createOAuthCalls({
    vendor: VENDOR,
    http: tokens,
    path: pathname,
    clientId,
    clientSecret,
    scope: '/adict/v6',
  });
  return {
    source: 'grdf-adict',
    lookup: (identifier, { signal, slot } = {}) =>
      oauth.call(
        http,
        {
          method: 'GET',
          path: `/pce/${encodeURIComponent(identifier)}/donnees_contractuelles`,
          headers: { accept: 'application/x-ndjson, application/json' },
          signal,
          slot,
        },
        (answer) => read(answer, identifier),
        STATUSES_WITH_REASON,
      ),
    close: async () => {
      await Promise.all([http.close(), tokens.close()]);
    },
  };
}

interface Restitution {
  code: string;
  message: string;
}

function read(answer: VendorAnswer, identifier: string): SupplyPointFacts {
  const lines = linesOf(answer);
  const restitution = lines
    .map((line) => restitutionIn(line['statut_restitution']))
    .find((found) => found !== undefined);
  if (restitution !== undefined) throw errorOf(restitution);
  if (answer.status !== 200) throw withoutRestitution(answer.status);
  const line = lines.find(
    (one) =>
      (one['pce'] as { id_pce?: unknown } | undefined)?.id_pce === identifier &&
      typeof one['donnees_contractuelles'] === 'object',
  );
  const data = line?.['donnees_contractuelles'] as Record<string, unknown> | null | undefined;
  if (!data) throw new MalformedAnswer('no donnees_contractuelles of the point');
  const profile =
    (data['profil'] as { profil_type_actuel?: unknown } | null | undefined)?.profil_type_actuel ??
    data['profil_type_actuel'];
  return factsOf({
    distribution_tariff: data['tarif_acheminement'],
    profile,
    annual_consumption_kwh: data['car'],
    daily_capacity_kwh: data['cja'],
    activation_date: data['date_mes'],
  });
}

/** One JSON value per line. A truncated line is a temporary failure, as seen in GRDF's sandbox. */
function linesOf({ text, status }: VendorAnswer): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        const value = JSON.parse(line) as unknown;
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          return value as Record<string, unknown>;
        }
      } catch {
        // Reported below.
      }
      throw status === 200 ? new MalformedAnswer('a broken line') : withoutRestitution(status);
    });
}

function withoutRestitution(status: number): Error {
  if (status === 403) return new VendorMisconfigured(`${VENDOR} rejects our calls (403): check rights and contract.`);
  if (status === 500) return new VendorUnavailable(`${VENDOR} fails (500).`);
  return new MalformedAnswer(`no statut_restitution after status ${status}`);
}

/** Null and an empty object both mean success. */
function restitutionIn(value: unknown): Restitution | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message } = value as { code?: unknown; message?: unknown };
  if (typeof code !== 'number' && (typeof code !== 'string' || code === '')) return undefined;
  return { code: `${code}`, message: typeof message === 'string' ? message : '' };
}

/** Codes that begin with 2 are failures of GRDF. Only the sentence shows whether a rejection concerns our contract; its codes are not public. */
function errorOf({ code, message }: Restitution): Error {
  const isTheirs = code.startsWith('2');
  if (isTheirs) {
    return new SupplyPointError(
      `${VENDOR} fails on the supply point (${/^\d{1,12}$/.test(code) ? code : 'no plain code'}).`,
    );
  }
  if (/contrat\b.*\bexpir/i.test(message) || /suspen/i.test(message)) {
    return new VendorMisconfigured(
      `${VENDOR} says that our contract has expired or that our rights are suspended: speak with GRDF.`,
    );
  }
  if (/danger/i.test(message)) {
    return new VendorRejected(`${VENDOR} reports an imminent danger at the supply point.`, 'EPCE007');
  }
  return rejectedWith(VENDOR, 'EPCE', code);
}
