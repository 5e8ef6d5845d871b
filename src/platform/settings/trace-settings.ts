import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Where traces go, under the names that OpenTelemetry gives these settings. */
export const traceSettings = {
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
