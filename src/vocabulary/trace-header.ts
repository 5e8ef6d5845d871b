import type { SpanPlace } from './traceparent.ts';

/** The header of Temporal that carries a trace; its name and `traceparent` in it are those of Temporal's own SDKs. */
export const TRACE_HEADER = '_tracer-data';

/** Its content. */
export interface CarriedTrace {
  /** The span that started the run. */
  traceparent?: string;
  /** True if the run continues as a new one, which starts a new trace: a trace of weeks is unreadable. */
  startsAnew?: boolean;
}

/** What a workflow reports when its run ends. */
export interface ToldRun {
  place: SpanPlace;
  parent?: SpanPlace;
  /** The run that it continues. */
  link?: SpanPlace;
  /** What it failed with. */
  fault?: string;
}

/** The span of a run, which is known before the run is over: its id is the end of the run's own, which is random. */
export function placeOfRun(runId: string, traceId?: string): SpanPlace {
  const digits = runId.replaceAll('-', '').toLowerCase();
  return { traceId: traceId ?? digits, spanId: digits.slice(16), isSampled: true };
}
