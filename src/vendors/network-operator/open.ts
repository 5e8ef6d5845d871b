import { lookupBudget } from '../../../temporal.config.ts';
import { fixedSecrets, type Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { createAdict } from './adict.client.ts';
import { createDataConnect } from './data-connect.client.ts';
import type { NetworkOperator } from './network-operator.port.ts';
import { createSge } from './sge.client.ts';
import type { VendorWatch } from '../../platform/vendor-http/vendor-http.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { VendorMisconfigured } from '../../vocabulary/vendor-errors.ts';

const limits = lookupBudget.call;

/**
 * Opens the network operators. If settings of one are missing, its lookups fail with a configuration error; the other is not affected.
 * @param watchOf receives the outcomes of an operator's calls
 * @param secrets read before each call
 */
export function openNetworkOperators(
  settings: Settings,
  watchOf: (operator: NetworkOperatorName) => VendorWatch = () => ({}),
  secrets: Secrets = fixedSecrets(settings),
): Record<NetworkOperatorName, NetworkOperator> {
  const openEnedis = settings.ENEDIS_DATA_CONNECT_URL === undefined ? sge : dataConnect;
  return { enedis: openEnedis(settings, secrets, watchOf('enedis')), grdf: adict(settings, secrets, watchOf('grdf')) };
}

function sge(settings: Settings, secrets: Secrets, watch: VendorWatch): NetworkOperator {
  const { ENEDIS_SGE_URL: baseUrl, ENEDIS_SGE_LOGIN: login } = settings;
  const tls = () => ({
    cert: secrets.of('ENEDIS_SGE_CERTIFICATE').value(),
    key: secrets.of('ENEDIS_SGE_KEY').value(),
    ca: secrets.of('ENEDIS_SGE_CA').value(),
  });
  if (baseUrl === undefined || login === undefined) return missing('enedis-sge', 'ENEDIS_SGE_URL and ENEDIS_SGE_LOGIN');
  if (baseUrl.startsWith('https:') && (tls().cert === undefined || tls().key === undefined)) {
    return missing('enedis-sge', 'ENEDIS_SGE_CERTIFICATE and ENEDIS_SGE_KEY, which SGE asks every caller for');
  }
  return createSge({ baseUrl: withoutSlash(baseUrl), login, tls, limits, ...watch });
}

function dataConnect(settings: Settings, secrets: Secrets, watch: VendorWatch): NetworkOperator {
  const { ENEDIS_DATA_CONNECT_URL: baseUrl, ENEDIS_DATA_CONNECT_CLIENT_ID: clientId } = settings;
  const clientSecret = secrets.of('ENEDIS_DATA_CONNECT_CLIENT_SECRET');
  if (baseUrl === undefined || clientId === undefined || clientSecret.value() === undefined) {
    return missing('enedis-data-connect', 'ENEDIS_DATA_CONNECT_URL, _CLIENT_ID and _CLIENT_SECRET');
  }
  return createDataConnect({ baseUrl: withoutSlash(baseUrl), clientId, clientSecret, limits, ...watch });
}

function adict(settings: Settings, secrets: Secrets, watch: VendorWatch): NetworkOperator {
  const { GRDF_URL: url, GRDF_TOKEN_URL: tokenUrl, GRDF_CLIENT_ID: clientId } = settings;
  const clientSecret = secrets.of('GRDF_CLIENT_SECRET');
  if (url === undefined || clientId === undefined || clientSecret.value() === undefined) {
    return missing('grdf-adict', 'GRDF_URL, GRDF_CLIENT_ID and GRDF_CLIENT_SECRET');
  }
  const baseUrl = withoutSlash(url);
  return createAdict({
    baseUrl,
    tokenUrl: tokenUrl ?? `${baseUrl}/oauth2/token`,
    clientId,
    clientSecret,
    limits,
    ...watch,
  });
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function missing(source: NetworkOperator['source'], names: string): NetworkOperator {
  return {
    source,
    lookup: () => Promise.reject(new VendorMisconfigured(`The network operator is not configured. Set ${names}.`)),
    close: async () => {},
  };
}
