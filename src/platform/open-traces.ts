import { once } from 'node:events';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { loggedFault, type Log } from './log.ts';
import type { Settings } from './settings.ts';
import { recordSpansBy } from './traces/traces.ts';

export interface Traces {
  /** Sends the remaining spans within a time limit. */
  stop(): Promise<void>;
}

const noTraces: Traces = { stop: async () => {} };

/** Capacity of the queue in spans, about 2 MB. Further spans are dropped. */
const WAITING_MAX = 4_096;
const SENT_AT_ONCE = 512;
const SENT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** OpenTelemetry's code of a successful export. */
const ARRIVED = 0;
/** Longest wait for the collector at shutdown. */
const FLUSH_MS = 2_000;

export type TraceSettings = Pick<
  Settings,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/**
 * Opens the process's traces: spans are recorded and sent to the collector in the background. A slow or unavailable collector delays
 * nothing; spans that exceed the queue are dropped.
 * @param about the process, added to every span
 */
export async function openTraces(
  settings: TraceSettings,
  log: Log,
  about: { process: string; version: string },
): Promise<Traces> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return noTraces;
  // About a hundred modules, which a process without traces need not load.
  const [{ openRecorder }, { BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('./traces/record-spans.ts'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: headersOf(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: EXPORT_TIMEOUT_MS,
    concurrencyLimit: 2,
  });
  const processor = new BatchSpanProcessor({
    exporter: loggedExporter(exporter, log),
    maxQueueSize: WAITING_MAX,
    maxExportBatchSize: SENT_AT_ONCE,
    scheduledDelayMillis: SENT_EVERY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  recordSpansBy(
    openRecorder({
      ratio: settings.OTEL_TRACES_SAMPLER_ARG,
      processor,
      resource: {
        'service.name': 'gangway',
        'service.version': about.version,
        'service.instance.id': `${about.process}/${process.pid}`,
      },
    }),
  );
  return {
    stop: async () => {
      recordSpansBy(undefined);
      const late = AbortSignal.timeout(FLUSH_MS);
      await Promise.race([processor.shutdown().catch(() => {}), once(late, 'abort')]);
    },
  };
}

/** Parses comma-separated `name=value` pairs, OpenTelemetry's format; values may be percent-encoded. */
function headersOf(text = ''): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Logs once when the collector becomes unreachable, and once when it recovers. */
function loggedExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isArriving = true;
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        const arrives = result.code === ARRIVED;
        if (arrives && !isArriving) log.info({}, 'traces arrive at the collector again');
        if (!arrives && isArriving) {
          log.warn({ fault: loggedFault(result.error) }, 'traces do not reach the collector and are left out');
        }
        isArriving = arrives;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
