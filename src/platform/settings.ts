import { readFileSync, existsSync } from 'node:fs';
import { envSchema } from 'env-schema';
import { ownMember } from '../foundation/table.ts';
import { secretNames, settingsSchema, type SecretName, type Settings } from './settings/all-settings.ts';
import { fixedValues } from './settings/fixed-values.ts';
import { DatabaseUrlError, readDatabaseUrl } from './database/connection-options.ts';
import { isLoopbackHost } from '../foundation/loopback.ts';

export { settingsSchema, type SecretName, type Settings };

/** A setting is invalid. The message contains its name, meaning and an example. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Reads and validates the settings. A secret given directly takes precedence over its file.
 * @param source normally `process.env`
 * @param fixed other fixed values, for tests
 * @throws SettingsError with each invalid setting
 */
export function readSettings(
  source: Record<string, string | undefined> = process.env,
  fixed: Partial<typeof fixedValues> = {},
): Settings {
  const direct = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const given = { ...secretsFromFiles(direct), ...direct };
  const settings = { ...checked(given), ...fixedValues, ...fixed };
  const faults = faultsOfSettings(settings);
  if (faults.length > 0) throw new SettingsError(faults.join('\n'));
  return settings;
}

/**
 * Validation of settings beyond the schema.
 * @returns a message for each fault, without secrets
 */
export function faultsOfSettings(settings: Settings): string[] {
  // A pattern in the schema would show the password in its message.
  if (settings.DATABASE_URL !== undefined && !namesDatabase(settings.DATABASE_URL)) {
    const {
      description,
      examples: [example],
    } = settingsSchema.properties.DATABASE_URL as unknown as { description: string; examples: string[] };
    return [
      `Setting DATABASE_URL is not a URL with the name of a database. ${description} Example: DATABASE_URL=${example}`,
    ];
  }
  return settingFaults(settings);
}

/**
 * Returns the secrets that are read from files, with their paths.
 * @param source normally `process.env`
 */
export function secretFiles(source: Record<string, string | undefined> = process.env): ReadonlyMap<SecretName, string> {
  return new Map(
    secretNames.flatMap((name) => {
      const path = source[`${name}_FILE`];
      return path && !source[name] ? [[name, path] as const] : [];
    }),
  );
}

function checked(given: Record<string, string | undefined>): Settings {
  try {
    return envSchema<Settings>({ schema: settingsSchema as never, data: given, env: false });
  } catch (error) {
    throw new SettingsError(settingsMessage(error, given));
  }
}

function namesDatabase(url: string): boolean {
  return (URL.parse(url)?.pathname.length ?? 0) > 1;
}

function secretsFromFiles(given: Record<string, string | undefined>): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [name, path] of secretFiles(given)) {
    const secret = contentOf(path, `${name}_FILE`);
    if (secret === '') {
      throw new SettingsError(`Setting ${name}_FILE=${path}: the file is empty. It must contain the value of ${name}.`);
    }
    secrets[name] = secret;
  }
  return secrets;
}

/** Content of a file without the line break that most editors append. */
function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(
      `Setting ${name}=${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

interface SettingFault {
  instancePath: string;
  message?: string;
}

function settingsMessage(error: unknown, given: Record<string, string | undefined>): string {
  const faults = (error as { errors?: SettingFault[] }).errors;
  if (!faults) return String(error);
  const names = new Set(faults.map((fault) => fault.instancePath.slice(1)));
  return [...names]
    .map((name) => {
      const about = ownMember(settingsSchema.properties, name) as
        | { description?: string; default?: unknown; examples?: unknown[] }
        | undefined;
      const why = faults.find((fault) => fault.instancePath === `/${name}`)?.message ?? 'is not usable';
      const example = about?.examples?.[0] ?? about?.default;
      return `Setting ${name}=${given[name]} ${why}. ${about?.description ?? ''} Example: ${name}=${example}`;
    })
    .join('\n');
}

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
function settingFaults(settings: Settings): string[] {
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
