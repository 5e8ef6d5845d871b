import { existsSync } from 'node:fs';
import { DatabaseUrlError, readDatabaseUrl } from './database/connection-options.ts';
import { isLoopbackHost } from '../foundation/loopback.ts';
import type { Settings } from './settings/all-settings.ts';

/** Length of an AES-256 key. */
const PAYLOAD_KEY_BYTES = 32;

/** Addresses that receive credentials or personal data. */
const PARTY_ADDRESSES = [
  'GOCARDLESS_URL',
  'STRIPE_URL',
  'SLIMPAY_URL',
  'ADYEN_URL',
  'INDUSTRY_SWITCH_URL',
  'ENEDIS_SGE_URL',
  'ENEDIS_DATA_CONNECT_URL',
  'GRDF_URL',
  'GRDF_TOKEN_URL',
  'DOCUMENT_STORE_ENDPOINT',
  'OIDC_ISSUER',
] as const satisfies readonly (keyof Settings)[];

const TLS_DETAILS = [
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERTIFICATE',
  'TEMPORAL_TLS_KEY',
] as const;

/**
 * Checks that the schema of a single setting cannot express: contents of values, and combinations of settings.
 * @returns a message for each fault, without secrets
 */
export function settingFaults(settings: Settings): string[] {
  return [
    ...databaseFaults(settings),
    ...temporalFaults(settings),
    ...payloadKeyFaults(settings),
    ...partyFaults(settings),
    ...enedisFaults(settings),
    ...providerFaults(settings),
    ...bundleFaults(settings),
    ...traceFaults(settings),
  ];
}

/** The address decides which services of Enedis are called. */
function enedisFaults(settings: Settings): string[] {
  if (settings.ENEDIS_SGE_URL === undefined || settings.ENEDIS_DATA_CONNECT_URL === undefined) return [];
  return ['Settings ENEDIS_SGE_URL and ENEDIS_DATA_CONNECT_URL exclude each other. Set one of them.'];
}

function bundleFaults({ WORKFLOW_BUNDLE: path }: Settings): string[] {
  if (path === undefined || existsSync(path)) return [];
  return [
    `Setting WORKFLOW_BUNDLE=${path}: the file does not exist. Create it with: node src/processes/bundle-workflows.ts ${path}`,
  ];
}

function traceFaults({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
}: Settings): string[] {
  if (endpoint === undefined || headers === undefined) return [];
  if (!/^http:/i.test(endpoint) || isLoopbackHost(hostOf(endpoint))) return [];
  return [
    `Setting OTEL_EXPORTER_OTLP_HEADERS would be sent unencrypted to ${endpoint}. Use https://; http:// with headers is for this machine only.`,
  ];
}

/** Settings that OpenID Connect needs besides the issuer. */
function providerFaults(settings: Settings): string[] {
  if (settings.OIDC_ISSUER === undefined) return [];
  return (['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'SUPPORT_SITE_URL'] as const)
    .filter((name) => settings[name] === undefined)
    .map(
      (name) => `Setting OIDC_ISSUER needs ${name} too: the provider has to know who asks, and where to lead back to.`,
    );
}

function databaseFaults(settings: Settings): string[] {
  return (['DATABASE_URL', 'DATABASE_LISTEN_URL', 'MIGRATE_DATABASE_URL'] as const).flatMap((name) => {
    const fault = settings[name] === undefined ? undefined : whyUnfit(settings[name]);
    return fault === undefined ? [] : [`Setting ${name} cannot be used: ${fault}.`];
  });
}

function whyUnfit(url: string): string | undefined {
  try {
    readDatabaseUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message;
    throw error;
  }
}

function temporalFaults(settings: Settings): string[] {
  const faults: string[] = [];
  const detail = TLS_DETAILS.find((name) => settings[name] !== undefined);
  if (detail !== undefined && !settings.TEMPORAL_TLS) {
    faults.push(`Setting ${detail} is for TLS, which is off. Set TEMPORAL_TLS=true, or leave ${detail} out.`);
  }
  if ((settings.TEMPORAL_TLS_CERTIFICATE === undefined) !== (settings.TEMPORAL_TLS_KEY === undefined)) {
    faults.push('Settings TEMPORAL_TLS_CERTIFICATE and TEMPORAL_TLS_KEY belong together. Set both or neither.');
  }
  if (
    settings.TEMPORAL_API_KEY !== undefined &&
    !settings.TEMPORAL_TLS &&
    !isLoopbackHost(hostOf(`tcp://${settings.TEMPORAL_ADDRESS ?? '127.0.0.1'}`))
  ) {
    faults.push('Setting TEMPORAL_API_KEY would be sent unencrypted. Set TEMPORAL_TLS=true.');
  }
  return faults;
}

function payloadKeyFaults(settings: Settings): string[] {
  const { TEMPORAL_PAYLOAD_KEY: payloadKeys, FIELD_HASH_KEY: hashKey } = settings;
  const given = { TEMPORAL_PAYLOAD_KEY: payloadKeys?.split(/\s+/), FIELD_HASH_KEY: hashKey && [hashKey] };
  return Object.entries(given).flatMap(([name, keys]) =>
    (keys || []).every(isPayloadKey)
      ? []
      : [
          `Setting ${name} must be ${PAYLOAD_KEY_BYTES} random bytes in base64; \`openssl rand -base64 ${PAYLOAD_KEY_BYTES}\` makes one.`,
        ],
  );
}

function isPayloadKey(key: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(key) && Buffer.from(key, 'base64').length === PAYLOAD_KEY_BYTES;
}

function partyFaults(settings: Settings): string[] {
  return PARTY_ADDRESSES.flatMap((name) => {
    const address = settings[name];
    if (address === undefined || !/^http:/i.test(address) || isLoopbackHost(hostOf(address))) return [];
    return [
      `Setting ${name}=${address} would send credentials and personal data unencrypted. Use https://; http:// is for this machine only.`,
    ];
  });
}

function hostOf(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}
