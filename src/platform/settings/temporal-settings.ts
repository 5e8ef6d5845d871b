import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** The Temporal server, the way to it, and what of its contents is encrypted. */
export const temporalSettings = {
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
  WORKER_DEPLOYMENT: Type.Optional(
    Type.String({
      description:
        'Deployment under which Temporal keeps releases of workers apart by their BUILD_ID; unset, every worker goes on with every run.',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      examples: ['gangway'],
    }),
  ),
  TEMPORAL_PORT: setting.port('Port of the embedded Temporal server; a free one is taken when it is in use.', 7233),
  TEMPORAL_UI_PORT: setting.port(
    "Port of the embedded Temporal server's web UI; a free one is taken when it is in use.",
    8233,
  ),
  WORKFLOW_BUNDLE: setting.text(
    'File of the workflow code that `node src/processes/bundle-workflows.ts <file>` made of this release; unset, each worker makes it when it starts, which takes a second.',
    '/app/workflow-bundle.js',
  ),
  TEMPORAL_CLI_PATH: setting.text('Temporal command line to run as the embedded server.', '/usr/local/bin/temporal'),
  GANGWAY_CACHE_DIR: setting.text('Where a downloaded or built Temporal command line is kept.', '/var/cache/gangway'),
};
