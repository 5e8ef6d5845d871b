import { readFileSync } from 'node:fs';
import { envSchema } from 'env-schema';
import { Type, type Static } from 'typebox';
import { paymentBudget } from '../../temporal.config.ts';
import { ownMember } from '../vocabulary/table.ts';
import { settingFaults } from './check-settings.ts';

const setting = {
  port: (description: string, port: number) =>
    Type.Integer({ description, default: port, minimum: 0, maximum: 65_535 }),
  text: (description: string, example: string) =>
    Type.Optional(Type.String({ description, examples: [example], minLength: 1 })),
  secret: (name: string, description: string, example: string) =>
    Type.Optional(
      Type.String({
        description: `${description} Or ${name}_FILE: path of a file that holds it.`,
        examples: [example],
        minLength: 1,
      }),
    ),
  address: (description: string, example: string) =>
    Type.Optional(Type.String({ description, examples: [example], pattern: '^https?://[^/]' })),
  count: (description: string, count: number, minimum = 1) => Type.Integer({ description, default: count, minimum }),
};

/** Every setting of every process; the README's table and `--help` come from here. Nothing else reads `process.env`. */
export const settingsSchema = Type.Object({
  HTTP_HOST: Type.String({
    description: 'Address that the interface listens on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  HTTP_PORT: setting.port(
    'Port of the interface; `up` takes a free one when it is in use, 0 always takes a free one.',
    8080,
  ),
  DATABASE_URL: setting.secret(
    'DATABASE_URL',
    'Postgres to use instead of the embedded one. Must be a session connection: no transaction pooler.',
    'postgresql://gangway:secret@db.example:5432/gangway',
  ),
  MIGRATE_DATABASE_URL: setting.secret(
    'MIGRATE_DATABASE_URL',
    'The same database by the role that owns its tables, for `migrate` alone; DATABASE_URL unless set. The role of DATABASE_URL then reads and writes rows only.',
    'postgresql://gangway_owner:secret@db.example:5432/gangway',
  ),
  TEMPORAL_ADDRESS: setting.text('Temporal server to use instead of the embedded one.', 'temporal.example:7233'),
  TEMPORAL_NAMESPACE: Type.String({
    description: 'Namespace on the Temporal server.',
    default: 'default',
    examples: ['gangway'],
  }),
  TEMPORAL_TLS: Type.Boolean({ description: 'Reaches Temporal by TLS.', default: false, examples: ['true'] }),
  TEMPORAL_TLS_SERVER_NAME: setting.text(
    "Name that the server's certificate must bear, where it is not that of TEMPORAL_ADDRESS.",
    'gangway.a1b2c.tmprl.cloud',
  ),
  TEMPORAL_TLS_CA: setting.secret(
    'TEMPORAL_TLS_CA',
    "Authority that the server's certificate is checked by, PEM; the system's unless set.",
    '-----BEGIN CERTIFICATE----- ...',
  ),
  TEMPORAL_TLS_CERTIFICATE: setting.secret(
    'TEMPORAL_TLS_CERTIFICATE',
    'Client certificate for Temporal, PEM.',
    '-----BEGIN CERTIFICATE----- ...',
  ),
  TEMPORAL_TLS_KEY: setting.secret(
    'TEMPORAL_TLS_KEY',
    'Private key of that certificate, PEM.',
    '-----BEGIN PRIVATE KEY----- ...',
  ),
  TEMPORAL_API_KEY: setting.secret(
    'TEMPORAL_API_KEY',
    'API key for Temporal, sent with each call.',
    'kept in the secret store',
  ),
  TEMPORAL_PAYLOAD_KEY: setting.secret(
    'TEMPORAL_PAYLOAD_KEY',
    'Key that encrypts what Temporal stores: 32 random bytes in base64. Unset, Temporal can read the numbers of accounts.',
    'the output of openssl rand -base64 32',
  ),
  TEMPORAL_PAYLOAD_KEY_SECOND: setting.secret(
    'TEMPORAL_PAYLOAD_KEY_SECOND',
    'Second key, which decrypts only: the coming or the former one while keys are changed.',
    'the output of openssl rand -base64 32',
  ),
  TEMPORAL_PORT: setting.port('Port of the embedded Temporal server; a free one is taken when it is in use.', 7233),
  TEMPORAL_UI_PORT: setting.port(
    "Port of the embedded Temporal server's web UI; a free one is taken when it is in use.",
    8233,
  ),
  TEMPORAL_CLI_PATH: setting.text('Temporal command line to run as the embedded server.', '/usr/local/bin/temporal'),
  GANGWAY_CACHE_DIR: setting.text('Where a downloaded or built Temporal command line is kept.', '/var/cache/gangway'),
  POSTGRES_PORT: setting.port('Port of the embedded Postgres; a free one is taken when it is in use.', 54330),
  DATA_DIR: Type.String({
    description: 'Folder of everything that `up` keeps on this machine.',
    default: '.gangway',
    examples: ['/var/lib/gangway'],
    minLength: 1,
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Least level that is logged.', default: 'info', examples: ['warn'] },
  ),

  HTTP_BEHIND_TLS: Type.Boolean({
    description:
      'TLS ends in front of the interface: browsers are told to come by TLS only (Strict-Transport-Security).',
    default: false,
    examples: ['true'],
  }),
  HTTP_PROXIES: setting.count(
    'Proxies in front of the interface that add the address of their client to X-Forwarded-For; failed tries and unknown tokens are counted by that address.',
    0,
    0,
  ),
  HTTP_CONNECTIONS_MAX: Type.Optional(
    Type.Integer({
      description:
        'Most connections to the interface at once; unset, 5000, or fewer where the limit of open files is low.',
      examples: [2000],
      minimum: 1,
    }),
  ),
  HTTP_CONNECTIONS_PER_ADDRESS_MAX: Type.Optional(
    Type.Integer({
      description:
        'Most of them from one client address, or /64 network of IPv6; 0: no limit. Unset, a quarter of all; no limit when HTTP_PROXIES is over 0, because all connections are those of the proxies then.',
      examples: [200],
      minimum: 0,
    }),
  ),
  HTTP_HEAD_DEADLINE_MS: setting.count(
    'Longest that a client may take from opening a connection, or from the first byte of a request on it, to the end of the head of that request.',
    60_000,
    100,
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      description: 'Port where Prometheus reads the metrics of the process, at /metrics; unset, nothing is measured.',
      examples: [9464],
      minimum: 0,
      maximum: 65_535,
    }),
  ),
  METRICS_HOST: Type.String({
    description: 'Address that both metrics ports listen on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  WORKER_HEALTH_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port where a worker tells whether it lives and is ready, at /healthz/live and /healthz/ready; unset, it does not.',
      examples: [9466],
      minimum: 0,
      maximum: 65_535,
    }),
  ),
  WORKER_HEALTH_HOST: Type.String({
    description: 'Address that this port listens on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  TEMPORAL_METRICS_PORT: Type.Optional(
    Type.Integer({
      description: "Port where Prometheus reads the metrics of Temporal's SDK, at /metrics; unset, they are off.",
      examples: [9465],
      minimum: 1,
      maximum: 65_535,
    }),
  ),

  GRAPHQL_INTROSPECTION: Type.Boolean({
    description: 'Lets clients ask the GraphQL interface for its schema.',
    default: false,
    examples: ['true'],
  }),

  HTTP_POOL_SIZE: setting.count('Database connections for requests.', 10),
  LIST_POOL_SIZE: setting.count('Database connections for streamed lists.', 4),
  WORKER_POOL_SIZE: setting.count('Database connections for activities; the worker runs as many at once.', 10),

  BODY_LIMIT_BYTES: setting.count('Largest body of a request.', 1_048_576),
  BUSINESS_BODY_LIMIT_BYTES: setting.count('Largest body of operations 12 and 13.', 1_048_576),
  POPULATE_BODY_LIMIT_BYTES: setting.count('Largest body of operation 14.', 2_097_152),
  LARGE_BODIES_BYTES: setting.count(
    'Most bytes of bodies over 64 kB under way at once; one organisation has at most half of them. More wait, then 503.',
    8_388_608,
  ),
  LARGE_BODY_WAIT_MS: setting.count('Longest that a body over 64 kB waits for room.', 5_000),
  LARGE_BODY_ARRIVAL_MS: setting.count('Longest that a body over 64 kB may take to arrive once it has room.', 20_000),

  CREATION_RUNS_IN_FLIGHT: setting.count(
    'Creation runs that hold a place at once; requests beyond them wait and go together.',
    2,
  ),
  CREATION_BATCH_SIZE: setting.count('Most accounts in one creation run.', 64),
  CREATION_RUNS_OPEN_MAX: setting.count(
    'Most creation runs open at once, those that gave their place back included.',
    64,
  ),
  CREATION_REQUESTS_WAITING_MAX: setting.count('Most creation requests that wait; beyond it 503 at once.', 1_000),
  CREATION_PLACE_HELD_MS: setting.count(
    'A creation run gives its place back after this time, even when it has not ended.',
    2_000,
  ),
  CREATION_START_DEADLINE_MS: setting.count('Longest wait for Temporal to take a creation run.', 3_000),
  CREATION_ALONE_STATEMENT_MS: setting.count(
    'Longest that one statement may take while an account is created that took too long beside others; beyond it the account is quarantined.',
    12_000,
  ),
  CREATION_PATIENCE_MS: setting.count('Longest wait of a creation request for its outcome.', 30_000),

  DOCUMENT_STORE_ENDPOINT: setting.text(
    'Address of the S3-compatible store that documents are looked up in; AWS itself unless set.',
    'https://s3.fr-par.scw.cloud',
  ),
  DOCUMENT_STORE_REGION: Type.String({
    description: 'Region of the document store.',
    default: 'eu-west-3',
    examples: ['fr-par'],
    minLength: 1,
  }),
  DOCUMENT_STORE_ACCESS_KEY_ID: setting.secret(
    'DOCUMENT_STORE_ACCESS_KEY_ID',
    "Access key of the document store; the machine's own role unless set.",
    'AKIAEXAMPLE',
  ),
  DOCUMENT_STORE_SECRET_ACCESS_KEY: setting.secret(
    'DOCUMENT_STORE_SECRET_ACCESS_KEY',
    'Secret of that access key.',
    'kept in the secret store',
  ),
  DOCUMENT_STORE_TIMEOUT_MS: setting.count('Longest that one look-up in the document store may take.', 2_000),
  DOCUMENT_STORE_DEADLINE_MS: setting.count(
    'Longest that the look-ups of one request may take together; 503 after it.',
    10_000,
  ),

  GOCARDLESS_URL: setting.address('Address of GoCardless; `up` simulates it unless set.', 'https://api.gocardless.com'),
  GOCARDLESS_ACCESS_TOKEN: setting.secret('GOCARDLESS_ACCESS_TOKEN', 'Access token at GoCardless.', 'live_...'),
  GOCARDLESS_ACCESS_TOKEN_NEXT: setting.secret(
    'GOCARDLESS_ACCESS_TOKEN_NEXT',
    'Second access token, taken when the first is refused: both hold during a change.',
    'live_...',
  ),
  STRIPE_URL: setting.address('Address of Stripe; `up` simulates it unless set.', 'https://api.stripe.com'),
  STRIPE_SECRET_KEY: setting.secret(
    'STRIPE_SECRET_KEY',
    'Secret or restricted key at Stripe; it needs to read payment methods and mandates.',
    'rk_live_...',
  ),
  STRIPE_SECRET_KEY_NEXT: setting.secret(
    'STRIPE_SECRET_KEY_NEXT',
    'Second key, taken when the first is refused.',
    'rk_live_...',
  ),
  SLIMPAY_URL: setting.address('Address of SlimPay; `up` simulates it unless set.', 'https://api.slimpay.com'),
  SLIMPAY_CLIENT_ID: setting.text('Client id at SlimPay.', 'gangway01'),
  SLIMPAY_CLIENT_SECRET: setting.secret(
    'SLIMPAY_CLIENT_SECRET',
    'Client secret at SlimPay.',
    'kept in the secret store',
  ),
  SLIMPAY_CLIENT_SECRET_NEXT: setting.secret(
    'SLIMPAY_CLIENT_SECRET_NEXT',
    'Second client secret, taken when the first is refused.',
    'kept in the secret store',
  ),
  SLIMPAY_CREDITOR_REFERENCE: setting.text('Creditor at SlimPay whose mandates are looked up.', 'supplier-fr'),
  ADYEN_URL: setting.address(
    'Address of the Checkout interface of Adyen, without its version; `up` simulates it unless set.',
    'https://checkout-test.adyen.com',
  ),
  ADYEN_API_KEY: setting.secret('ADYEN_API_KEY', 'API key at Adyen.', 'AQE...'),
  ADYEN_API_KEY_NEXT: setting.secret(
    'ADYEN_API_KEY_NEXT',
    'Second API key, taken when the first is refused.',
    'AQE...',
  ),
  ADYEN_MERCHANT_ACCOUNT: setting.text('Merchant account at Adyen.', 'SupplierFR'),
  PAYMENT_BUDGET_MS: setting.count(
    'Longest that a payment vendor is asked about one instruction.',
    paymentBudget.totalMs,
  ),
  PAYMENT_START_DEADLINE_MS: setting.count('Longest wait for Temporal to take a verification.', 3_000),
  PAYMENT_PATIENCE_MS: setting.count(
    'Longest wait of a request for the outcome of a verification; it goes on after it.',
    20_000,
  ),
  PAYMENT_VERIFICATIONS_PER_MINUTE: setting.count(
    'Most new verifications of payment instructions for one API key in a minute, over all processes; 429 beyond it.',
    600,
  ),
  PAYMENT_REFUSALS_PER_HOUR: setting.count(
    'Most verifications of one API key that may end refused in an hour, over all processes; 429 beyond it, so that references cannot be probed.',
    500,
  ),
  INDUSTRY_SWITCH_URL: setting.text(
    'Address of the industry switch; unset, `up` simulates it, and a worker alone asks for no switch.',
    'https://switch.example/api',
  ),
  INDUSTRY_SWITCH_CREDENTIAL: setting.secret(
    'INDUSTRY_SWITCH_CREDENTIAL',
    'Credential of the industry switch, sent as a bearer token.',
    'kept in the secret store',
  ),
  SWITCH_LEAD_TIME_DAYS: setting.count(
    'So many days before the supply start of a point its switch is asked for.',
    14,
    0,
  ),
  ENEDIS_PROTOCOL: Type.Unsafe<'sge' | 'data-connect'>({
    type: 'string',
    enum: ['sge', 'data-connect'],
    description: 'How Enedis is asked for supply points: its SOAP services for suppliers, or Data Connect.',
    default: 'sge',
    examples: ['data-connect'],
  }),
  ENEDIS_SGE_URL: setting.text('Address of Enedis SGE; simulated by `up` unless set.', 'https://sge-b2b.enedis.fr'),
  ENEDIS_SGE_LOGIN: setting.text('Login that SGE knows the caller by.', 'sge@supplier.example'),
  ENEDIS_SGE_CERTIFICATE: setting.secret(
    'ENEDIS_SGE_CERTIFICATE',
    'Client certificate for SGE, PEM.',
    '-----BEGIN CERTIFICATE----- ...',
  ),
  ENEDIS_SGE_KEY: setting.secret(
    'ENEDIS_SGE_KEY',
    'Private key of that certificate, PEM.',
    '-----BEGIN PRIVATE KEY----- ...',
  ),
  ENEDIS_SGE_CA: setting.secret(
    'ENEDIS_SGE_CA',
    "Authority that SGE's own certificate is checked by, PEM; the system's unless set.",
    '-----BEGIN CERTIFICATE----- ...',
  ),
  ENEDIS_DATA_CONNECT_URL: setting.text(
    'Address of Enedis Data Connect; simulated by `up` unless set.',
    'https://gw.ext.prod.api.enedis.fr',
  ),
  ENEDIS_DATA_CONNECT_CLIENT_ID: setting.text('Client id at Data Connect.', 'f2a8'),
  ENEDIS_DATA_CONNECT_CLIENT_SECRET: setting.secret(
    'ENEDIS_DATA_CONNECT_CLIENT_SECRET',
    'Secret of that client.',
    'kept in the secret store',
  ),
  GRDF_URL: setting.text(
    'Address of GRDF ADICT with its version; simulated by `up` unless set.',
    'https://api.grdf.fr/adict/v6',
  ),
  GRDF_TOKEN_URL: setting.text(
    'Where ADICT gives out tokens; /oauth2/token below GRDF_URL unless set.',
    'https://adict-connexion.grdf.fr/oauth2/aus5y2ta2uEHjCWIR417/v1/token',
  ),
  GRDF_CLIENT_ID: setting.text('Client id at ADICT.', '0oa1'),
  GRDF_CLIENT_SECRET: setting.secret('GRDF_CLIENT_SECRET', 'Secret of that client.', 'kept in the secret store'),
  LOOKUP_POOL_SIZE: setting.count('Database connections for look-ups at the network operators.', 6),
  LOOKUP_KNOWN_DAYS: setting.count('A supply point that was looked up is asked for again only after so many days.', 30),

  XDG_CONFIG_HOME: setting.text(
    'Where the command line keeps its session, in gangway/session.json; unset, ~/.config.',
    '/home/ada/.config',
  ),
  GANGWAY_API_KEY: setting.secret(
    'GANGWAY_API_KEY',
    'API key that `npm run cli -- login` takes when none is given.',
    'gwk_...',
  ),

  SHUTDOWN_DRAIN_MS: setting.count(
    'Time that SIGTERM leaves to clients to give up the connections that they keep, if there were requests just now; 0 closes idle ones at once.',
    3_000,
    0,
  ),
  SHUTDOWN_GRACE_MS: setting.count('Time that SIGTERM leaves to requests and activities under way.', 20_000),
});

export type Settings = Static<typeof settingsSchema>;

/** Settings that may come in a file, as container engines hand over secrets: NAME_FILE names the file that holds NAME. */
const secretSettings = [
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERTIFICATE',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_PAYLOAD_KEY',
  'TEMPORAL_PAYLOAD_KEY_SECOND',
  'DOCUMENT_STORE_ACCESS_KEY_ID',
  'DOCUMENT_STORE_SECRET_ACCESS_KEY',
  'GANGWAY_API_KEY',
  'GOCARDLESS_ACCESS_TOKEN',
  'GOCARDLESS_ACCESS_TOKEN_NEXT',
  'STRIPE_SECRET_KEY',
  'STRIPE_SECRET_KEY_NEXT',
  'SLIMPAY_CLIENT_SECRET',
  'SLIMPAY_CLIENT_SECRET_NEXT',
  'ADYEN_API_KEY',
  'ADYEN_API_KEY_NEXT',
  'INDUSTRY_SWITCH_CREDENTIAL',
  'ENEDIS_SGE_CERTIFICATE',
  'ENEDIS_SGE_KEY',
  'ENEDIS_SGE_CA',
  'ENEDIS_DATA_CONNECT_CLIENT_SECRET',
  'GRDF_CLIENT_SECRET',
] as const satisfies readonly (keyof Settings)[];

/** Raised for a setting that cannot be used; the message names the setting, its meaning and an example. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Reads and checks the settings before anything is opened. A secret that is given itself goes before its file.
 * @param source normally `process.env`
 * @throws SettingsError naming each faulty setting
 */
export function readSettings(source: Record<string, string | undefined> = process.env): Settings {
  const direct = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const given = { ...secretsFromFiles(direct), ...direct };
  const settings = checked(given);
  // Not by a pattern in the schema: the message of that one would show the password.
  if (settings.DATABASE_URL !== undefined && !namesDatabase(settings.DATABASE_URL)) {
    const {
      description,
      examples: [example],
    } = settingsSchema.properties.DATABASE_URL as unknown as { description: string; examples: string[] };
    throw new SettingsError(
      `Setting DATABASE_URL is no address with the name of a database. ${description} Example: DATABASE_URL=${example}`,
    );
  }
  const faults = settingFaults(settings);
  if (faults.length > 0) throw new SettingsError(faults.join('\n'));
  return settings;
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
  for (const name of secretSettings) {
    const path = given[`${name}_FILE`];
    if (path === undefined || given[name] !== undefined) continue;
    const secret = contentOf(path, `${name}_FILE`);
    if (secret === '') {
      throw new SettingsError(`Setting ${name}_FILE=${path}: the file is empty; it must hold the value of ${name}.`);
    }
    secrets[name] = secret;
  }
  return secrets;
}

/** The text of a file, without the line end that most editors put there. */
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
