import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** What every process keeps, logs and reports, and how it stops. */
export const processSettings = {
  DATA_DIR: Type.String({
    description: 'Folder of everything that `npm start` keeps on this machine.',
    default: '.gangway',
    examples: ['/var/lib/gangway'],
    minLength: 1,
  }),
  BUILD_ID: Type.Optional(
    Type.String({
      description:
        'Release and commit of what runs, as metrics and Temporal name it; the image sets it. Unset, it is the version.',
      pattern: '^[A-Za-z0-9._+-]{1,64}$',
      examples: ['0.1.0-4f2a9c1'],
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Least level that is logged.', default: 'info', examples: ['warn'] },
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
  SHUTDOWN_DRAIN_MS: setting.count(
    'Time that SIGTERM leaves to clients to give up the connections that they keep, if there were requests just now; 0 closes idle ones at once.',
    3_000,
    0,
  ),
  SHUTDOWN_GRACE_MS: setting.count('Time that SIGTERM leaves to requests and activities under way.', 20_000),
};
