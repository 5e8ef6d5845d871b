import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Monitoring: logs, metrics, traces and readiness. */
export const monitoringSettings = {
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Lowest level that is logged.', default: 'info', examples: ['warn'] },
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
    description: 'Address that the ports of metrics and of WORKER_HEALTH_PORT listen on.',
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
  WORKER_HEALTH_PORT: Type.Optional(
    Type.Integer({
      description: 'Port of /healthz/live and /healthz/ready of a worker; unset, a worker has none.',
      examples: [9466],
      minimum: 0,
      maximum: 65_535,
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.address(
    'Address of the collector that traces are sent to (OTLP by HTTP, at /v1/traces); unset, nothing is traced.',
    'http://127.0.0.1:4318',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting.secret(
    'OTEL_EXPORTER_OTLP_HEADERS',
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
};
