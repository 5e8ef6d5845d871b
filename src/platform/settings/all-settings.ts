import { Type, type Static, type TProperties } from 'typebox';
import type { fixedValues } from './fixed-values.ts';

/** Marks secrets. A symbol, because validators reject unknown keywords. */
const SECRET: unique symbol = Symbol('secret');

/** Types of settings. */
const setting = {
  count: (description: string, count: number, minimum = 1, maximum?: number) =>
    Type.Integer({ description, default: count, minimum, ...(maximum === undefined ? {} : { maximum }) }),
  flag: (description: string) => Type.Boolean({ description, default: false, examples: ['true'] }),
  port: (description: string, port: number) =>
    Type.Integer({ description, default: port, minimum: 0, maximum: 65_535 }),
  optionalPort: (description: string, example: number, minimum = 0) =>
    Type.Optional(Type.Integer({ description, examples: [example], minimum, maximum: 65_535 })),
  preset: (description: string, value: string, example: string, form: { minLength?: 1; pattern?: string } = {}) =>
    Type.String({ description, default: value, examples: [example], ...form }),
  text: (description: string, example: string, form: { minLength: 1 } | { pattern: string } = { minLength: 1 }) =>
    Type.Optional(Type.String({ description, examples: [example], ...form })),
  address: (description: string, example: string) => setting.text(description, example, { pattern: '^https?://[^/]' }),
  /** A text that may also be given as a file. */
  secret: (description: string, example: string) =>
    Object.assign(setting.text(description, example), { [SECRET]: true as const }),
};

/**
 * A group of settings. Adds to the description of each secret that it may be given as a file.
 * @param title its heading in docs/running/settings.md
 */
function group<Settings extends TProperties>(title: string, settings: Settings) {
  for (const [name, schema] of Object.entries(settings as Record<string, { description?: string }>)) {
    if (SECRET in schema) schema.description += ` Or ${name}_FILE: path of a file that holds it.`;
  }
  return { title, settings };
}

const installation = group('For the installation: addresses, connections and credentials of the service itself', {
  HTTP_HOST: setting.preset('Address that the API, or the support site, listens on.', '127.0.0.1', '0.0.0.0'),
  HTTP_PORT: setting.port(
    'Port of the API; `npm start` takes a free one when it is in use, 0 always takes a free one.',
    8080,
  ),
  HTTP_PROXIES: setting.count(
    'Proxies in front of the process, API or support site, that add the address of their client to X-Forwarded-For; failed attempts and unknown tokens are counted by that address. TLS ends in the proxies: the API then requires TLS from browsers (Strict-Transport-Security).',
    0,
    0,
  ),
  API_URL: setting.address(
    'Public address of the API: the issuer in its OAuth metadata; pages of the support site link to its documentation. `npm start` sets it for the support site.',
    'https://gangway.example',
  ),
  DATABASE_URL: setting.secret(
    'Postgres to use instead of the embedded one, directly or behind a pooler (docs/running/processes.md).',
    'postgresql://gangway:secret@db.example:5432/gangway',
  ),
  DATABASE_LISTEN_URL: setting.secret(
    'The same database without a pooler in transaction mode, for the one connection of a process that listens for notifications; DATABASE_URL unless set.',
    'postgresql://gangway:secret@postgres.example:5432/gangway',
  ),
  MIGRATE_DATABASE_URL: setting.secret(
    'The same database with the role that owns its tables, used only by `migrate`; DATABASE_URL unless set. The role of DATABASE_URL then reads and writes rows only.',
    'postgresql://gangway_owner:secret@db.example:5432/gangway',
  ),
  TEMPORAL_ADDRESS: setting.text('Temporal server to use instead of the embedded one.', 'temporal.example:7233'),
  TEMPORAL_NAMESPACE: setting.preset('Namespace on the Temporal server.', 'default', 'gangway'),
  TEMPORAL_TLS: setting.flag('Reaches Temporal by TLS.'),
  TEMPORAL_TLS_SERVER_NAME: setting.text(
    "Name that the server's certificate must bear, where it is not that of TEMPORAL_ADDRESS.",
    'gangway.a1b2c.tmprl.cloud',
  ),
  TEMPORAL_TLS_CA: setting.secret(
    "Authority that the server's certificate is checked by, PEM; the system's unless set.",
    '-----BEGIN CERTIFICATE----- ...',
  ),
  TEMPORAL_TLS_CERTIFICATE: setting.secret('Client certificate for Temporal, PEM.', '-----BEGIN CERTIFICATE----- ...'),
  TEMPORAL_TLS_KEY: setting.secret('Private key of that certificate, PEM.', '-----BEGIN PRIVATE KEY----- ...'),
  TEMPORAL_API_KEY: setting.secret('API key for Temporal, sent with each call.', 'kept in the secret store'),
  TEMPORAL_PAYLOAD_KEY: setting.secret(
    'Key that encrypts what Temporal stores: 32 random bytes in base64. Unset, Temporal can read the numbers of accounts. During a change two, one per line: the second only decrypts.',
    'the output of openssl rand -base64 32',
  ),
  TEMPORAL_DEPLOYMENT_NAME: setting.text(
    'Worker deployment in which Temporal separates releases by build; the Temporal Worker Controller sets it. Unset, every worker continues every run.',
    'gangway/worker',
  ),
  TEMPORAL_WORKER_BUILD_ID: setting.text(
    'Build in that worker deployment, set by the Temporal Worker Controller; replaces BUILD_ID there.',
    '0-1-0-4f2a',
  ),
  WORKFLOW_BUNDLE: setting.text(
    'Workflow code of this release in one file, made by `node src/processes/bundle-workflows.ts <file>`; unset, each worker bundles it at its start, which takes a second.',
    '/app/workflow-bundle.js',
  ),
  BUILD_ID: setting.text(
    'Release and commit of the process, shown in metrics and Temporal; the image sets it. Unset, it is the version.',
    '0.1.0-4f2a9c1',
    { pattern: '^[A-Za-z0-9._+-]{1,64}$' },
  ),
  WEBHOOK_PRIVATE_ADDRESSES: setting.flag(
    'Delivers events to plain HTTP and private addresses too, but never to link-local ones. For receivers in your own network: any caller that may register an endpoint can then make the worker call any address there.',
  ),
});

const monitoring = group('For monitoring: logs, metrics, traces and readiness', {
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Lowest level that is logged.', default: 'info', examples: ['warn'] },
  ),
  METRICS_PORT: setting.optionalPort(
    'Port where Prometheus reads the metrics of the process, at /metrics; unset, nothing is measured.',
    9464,
  ),
  METRICS_HOST: setting.preset(
    'Address that the ports of metrics and of WORKER_HEALTH_PORT listen on.',
    '127.0.0.1',
    '0.0.0.0',
  ),
  TEMPORAL_METRICS_PORT: setting.optionalPort(
    "Port where Prometheus reads the metrics of Temporal's SDK, at /metrics; unset, they are off.",
    9465,
    1,
  ),
  WORKER_HEALTH_PORT: setting.optionalPort(
    'Port of /healthz/live and /healthz/ready of a worker; unset, a worker has none.',
    9466,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.address(
    'Address of the collector that traces are sent to (OTLP by HTTP, at /v1/traces); unset, nothing is traced.',
    'http://127.0.0.1:4318',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting.secret(
    'Headers of these requests, such as a credential: `name=value`, with commas between them.',
    'authorization=Bearer%20...',
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    description: 'Share of the traces that are recorded, from 0 to 1.',
    default: 1,
    examples: [0.05],
    minimum: 0,
    maximum: 1,
  }),
});

const capacity = group('For capacity: how much runs at once, and how much is stored', {
  HTTP_POOL_SIZE: setting.count('Database connections for requests.', 10),
  WORKER_POOL_SIZE: setting.count('Database connections for activities; the worker runs as many at once.', 10),
  JOB_BYTES_MAX: setting.count('Bytes that the import jobs of one organization may store, compressed.', 10_737_418_240),
});

const party = group('For outside parties: addresses, credentials, and how often they are called', {
  GOCARDLESS_URL: setting.address(
    'Address of GoCardless; `npm start` simulates it unless set.',
    'https://api.gocardless.com',
  ),
  GOCARDLESS_ACCESS_TOKEN: setting.secret(
    'Access token at GoCardless. During a change two, one per line: the second is used when the first is rejected.',
    'live_...',
  ),
  STRIPE_URL: setting.address('Address of Stripe; `npm start` simulates it unless set.', 'https://api.stripe.com'),
  STRIPE_SECRET_KEY: setting.secret(
    'Secret or restricted key at Stripe; it needs to read payment methods and mandates. During a change two, as for GoCardless.',
    'rk_live_...',
  ),
  SLIMPAY_URL: setting.address('Address of SlimPay; `npm start` simulates it unless set.', 'https://api.slimpay.com'),
  SLIMPAY_CLIENT_ID: setting.text('Client id at SlimPay.', 'gangway01'),
  SLIMPAY_CLIENT_SECRET: setting.secret(
    'Client secret at SlimPay. During a change two, as for GoCardless.',
    'kept in the secret store',
  ),
  SLIMPAY_CREDITOR_REFERENCE: setting.text('Creditor at SlimPay whose mandates are looked up.', 'supplier-fr'),
  ADYEN_URL: setting.address(
    'Address of the Checkout API of Adyen, without its version; `npm start` simulates it unless set.',
    'https://checkout-test.adyen.com',
  ),
  ADYEN_API_KEY: setting.secret('API key at Adyen. During a change two, as for GoCardless.', 'AQE...'),
  ADYEN_MERCHANT_ACCOUNT: setting.text('Merchant account at Adyen.', 'SupplierFR'),
  PAYMENT_VERIFICATIONS_PER_MINUTE: setting.count(
    'New verifications of payment instructions for one API key in a minute, over all processes; more are answered 429.',
    600,
  ),
  RECONCILIATION_VENDOR_CALLS_PER_DAY: setting.count(
    'Calls to one payment vendor in a day by all reconciliations of one import supplier, to check instructions; 0: none.',
    2_000,
    0,
  ),
  INDUSTRY_SWITCH_URL: setting.text(
    'Address of the industry switch; unset, `npm start` simulates it, and a worker requests no switches.',
    'https://switch.example/api',
  ),
  INDUSTRY_SWITCH_CREDENTIAL: setting.secret(
    'Credential of the industry switch, sent as a bearer token.',
    'kept in the secret store',
  ),
  SWITCH_LEAD_TIME_DAYS: setting.count(
    'Days before the supply start of a point at which its switch is requested.',
    14,
    0,
  ),
  ENEDIS_SGE_URL: setting.text(
    'Address of Enedis SGE, its SOAP services for suppliers; `npm start` simulates it unless this or ENEDIS_DATA_CONNECT_URL is set.',
    'https://sge-b2b.enedis.fr',
  ),
  ENEDIS_SGE_LOGIN: setting.text('Login of the caller at SGE.', 'sge@supplier.example'),
  ENEDIS_SGE_CERTIFICATE: setting.secret('Client certificate for SGE, PEM.', '-----BEGIN CERTIFICATE----- ...'),
  ENEDIS_SGE_KEY: setting.secret('Private key of that certificate, PEM.', '-----BEGIN PRIVATE KEY----- ...'),
  ENEDIS_SGE_CA: setting.secret(
    "Authority that SGE's own certificate is checked by, PEM; the system's unless set.",
    '-----BEGIN CERTIFICATE----- ...',
  ),
  ENEDIS_DATA_CONNECT_URL: setting.text(
    'Address of Enedis Data Connect; if set, supply points are looked up there instead of at SGE.',
    'https://gw.ext.prod.api.enedis.fr',
  ),
  ENEDIS_DATA_CONNECT_CLIENT_ID: setting.text('Client id at Data Connect.', 'f2a8'),
  ENEDIS_DATA_CONNECT_CLIENT_SECRET: setting.secret('Secret of that client.', 'kept in the secret store'),
  GRDF_URL: setting.text(
    'Address of GRDF ADICT with its version; simulated by `npm start` unless set.',
    'https://api.grdf.fr/adict/v6',
  ),
  GRDF_TOKEN_URL: setting.text(
    'Where ADICT gives out tokens; /oauth2/token below GRDF_URL unless set.',
    'https://adict-connexion.grdf.fr/oauth2/aus5y2ta2uEHjCWIR417/v1/token',
  ),
  GRDF_CLIENT_ID: setting.text('Client id at ADICT.', '0oa1'),
  GRDF_CLIENT_SECRET: setting.secret('Secret of that client.', 'kept in the secret store'),
  DOCUMENT_STORE_ENDPOINT: setting.text(
    'Address of the S3-compatible store that documents are looked up in; AWS itself unless set.',
    'https://s3.fr-par.scw.cloud',
  ),
  DOCUMENT_STORE_REGION: setting.preset('Region of the document store.', 'eu-west-3', 'fr-par', { minLength: 1 }),
  DOCUMENT_STORE_ACCESS_KEY_ID: setting.secret(
    "Access key of the document store; the machine's own role unless set.",
    'AKIAEXAMPLE',
  ),
  DOCUMENT_STORE_SECRET_ACCESS_KEY: setting.secret('Secret of that access key.', 'kept in the secret store'),
});

const dataProtection = group('For data protection: how long data is kept, and the keys of proofs', {
  CREATED_PAYLOAD_KEPT_DAYS: setting.count(
    'Days after the creation of an account for which the staged payload is kept, with those that it replaced; the account itself stays.',
    90,
  ),
  NEVER_CREATED_KEPT_DAYS: setting.count(
    'Days after its last change for which a staged account that was never created is kept; also days for which a market message that fits no account or no state of its switch is kept.',
    180,
  ),
  AUDIT_KEPT_DAYS: setting.count('Days for which entries of the audit are kept.', 1_095, 365),
  IDEMPOTENCY_KEYS_KEPT_DAYS: setting.count(
    'Days for which the answer to a request with an Idempotency-Key is kept.',
    30,
  ),
  EVENTS_KEPT_DAYS: setting.count(
    'Days for which events can be read and are delivered, at least: those of a month are dropped together.',
    30,
  ),
  JOB_PARTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job for which its uploads are kept; the results contain their records until then.',
    7,
  ),
  JOB_RESULTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job or a bulk action for which its results are kept; counts and causes stay.',
    30,
  ),
  RETENTION_FROM_HOUR: setting.count(
    'Hour of the day in France at which the deletion of expired data begins.',
    1,
    0,
    23,
  ),
  RETENTION_UNTIL_HOUR: setting.count('Hour at which it ends; it continues in the next night.', 5, 1, 24),
  FIELD_HASH_KEY: setting.secret(
    'Key of the hashes that are kept of deleted payloads, so that reconciliations still work: 32 random bytes in base64. Unset, none are kept. `npm start` makes one.',
    'the output of openssl rand -base64 32',
  ),
  RECONCILIATION_KEY: setting.secret(
    'Private Ed25519 key (PEM) that signs certificates of reconciliations, and the blocks and anchors of the audit; unset, they are not signed. Further keys after it are only published, so that certificates they signed can be checked. `npm start` makes one.',
    '-----BEGIN PRIVATE KEY-----...',
  ),
});

/** A role with its name at the provider, in the setting OIDC_ROLES. */
const ROLE_NAME = '((viewer|operator|administrator)=[^;]+|supplier=[^;*]*[*][^;*]*)';

const supportSite = group('For the support site and signing in', {
  SUPPORT_SITE_PORT: setting.port(
    'Port of the support site; `npm start` takes a free one when it is in use, 0 always takes a free one.',
    8090,
  ),
  SUPPORT_SITE_ENVIRONMENT: setting.text(
    'Name of this installation in the header of the support site, so that staff does not take it for another one. A name that begins with prod is red; others have a color by their name. Unset, the header has none.',
    'Staging',
    { pattern: '^.{1,24}$' },
  ),
  SUPPORT_SITE_URL: setting.address(
    'Public address of the support site. With https:// its cookies are for TLS only; unset, it is that of the header Host.',
    'https://support.gangway.example',
  ),
  SUPPORT_SITE_KEY_SIGN_IN: setting.flag(
    'Lets people sign in to the support site with the key of an operator or a supplier; `npm start` sets it.',
  ),
  OIDC_ISSUER: setting.address(
    'OpenID Connect provider for signing in to the support site; its configuration is read below this address.',
    'https://login.example/realms/staff',
  ),
  OIDC_CLIENT_ID: setting.text('Name of the support site at the provider.', 'gangway-support'),
  OIDC_CLIENT_SECRET: setting.secret('Secret of the support site at the provider.', 'kept in the secret store'),
  OIDC_SCOPE: setting.preset(
    'Scopes requested from the provider.',
    'openid profile email',
    'openid profile email groups',
  ),
  OIDC_ROLE_CLAIM: setting.preset(
    "Claim with the names of a person's roles, in the id token or the user info.",
    'roles',
    'groups',
  ),
  OIDC_ROLES: setting.preset(
    'Names of the roles in that claim, separated by semicolons. A role that is not listed is not given. `*` in the name of the role supplier is the code of an import supplier.',
    'viewer=viewer; operator=operator; administrator=administrator',
    'operator=gangway-operators; supplier=gangway-supplier-*',
    { pattern: `^${ROLE_NAME}(; *${ROLE_NAME})*$` },
  ),
  TEMPORAL_UI_URL: setting.address(
    "Public address of Temporal's web UI; pages link runs there, and it may read payloads that the support site decrypts. `npm start` sets it for the embedded server.",
    'https://temporal.example',
  ),
});

const local = group('For one machine: `npm start` and the command line', {
  DATA_DIR: setting.preset('Folder in which `npm start` keeps its data.', '.gangway', '/var/lib/gangway', {
    minLength: 1,
  }),
  TEMPORAL_CLI_PATH: setting.text('Temporal command line to run as the embedded server.', '/usr/local/bin/temporal'),
  GANGWAY_API_KEY: setting.secret('API key that `npm run cli -- login` uses unless one is given.', 'gwk_...'),
});

/** The settings grouped by reader. */
export const settingGroups = [installation, monitoring, capacity, party, dataProtection, supportSite, local];

/** Every setting of every process. docs/running/settings.md and `--help` are generated from it. No other code reads `process.env`. */
export const settingsSchema = Type.Object({
  ...installation.settings,
  ...monitoring.settings,
  ...capacity.settings,
  ...party.settings,
  ...dataProtection.settings,
  ...supportSite.settings,
  ...local.settings,
});

/** The settings, together with the fixed values. */
export type Settings = Static<typeof settingsSchema> & {
  -readonly [Name in keyof typeof fixedValues]: (typeof fixedValues)[Name];
};

type Schemas = (typeof settingsSchema)['properties'];

/** A setting that may be given as a file, as container engines provide secrets: NAME_FILE is the path of the file with the value of NAME. */
export type SecretName = {
  [Name in keyof Schemas]: Schemas[Name] extends { [SECRET]: true } ? Name : never;
}[keyof Schemas];

export const secretNames = Object.entries(settingsSchema.properties).flatMap(([name, schema]) =>
  SECRET in schema ? [name as SecretName] : [],
);
