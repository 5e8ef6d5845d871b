import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Installation: addresses, connections and credentials of the service itself. */
export const installationSettings = {
  HTTP_HOST: Type.String({
    description: 'Address that the API listens on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
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
    'Public address of the API; pages of the support site link to its documentation. `npm start` sets it.',
    'https://gangway.example',
  ),
  DATABASE_URL: setting.secret(
    'DATABASE_URL',
    'Postgres to use instead of the embedded one, directly or behind a pooler (docs/running/processes.md).',
    'postgresql://gangway:secret@db.example:5432/gangway',
  ),
  DATABASE_LISTEN_URL: setting.secret(
    'DATABASE_LISTEN_URL',
    'The same database without a pooler in transaction mode, for the one connection of a process that listens for notifications; DATABASE_URL unless set.',
    'postgresql://gangway:secret@postgres.example:5432/gangway',
  ),
  MIGRATE_DATABASE_URL: setting.secret(
    'MIGRATE_DATABASE_URL',
    'The same database with the role that owns its tables, used only by `migrate`; DATABASE_URL unless set. The role of DATABASE_URL then reads and writes rows only.',
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
    'Key that encrypts what Temporal stores: 32 random bytes in base64. Unset, Temporal can read the numbers of accounts. During a change two, one per line: the second only decrypts.',
    'the output of openssl rand -base64 32',
  ),
  WORKER_DEPLOYMENT: Type.Optional(
    Type.String({
      description:
        'Worker deployment in which Temporal separates releases by BUILD_ID; unset, every worker continues every run.',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      examples: ['gangway'],
    }),
  ),
  WORKFLOW_BUNDLE: setting.text(
    'Workflow code of this release in one file, made by `node src/processes/bundle-workflows.ts <file>`; unset, each worker bundles it at its start, which takes a second.',
    '/app/workflow-bundle.js',
  ),
  BUILD_ID: Type.Optional(
    Type.String({
      description:
        'Release and commit of the process, shown in metrics and Temporal; the image sets it. Unset, it is the version.',
      pattern: '^[A-Za-z0-9._+-]{1,64}$',
      examples: ['0.1.0-4f2a9c1'],
    }),
  ),
  WEBHOOK_PRIVATE_ADDRESSES: Type.Boolean({
    description:
      'Delivers events to plain HTTP and private addresses too, but never to link-local ones. For receivers in your own network: any caller that may register an endpoint can then make the worker call any address there.',
    default: false,
    examples: ['true'],
  }),
};
