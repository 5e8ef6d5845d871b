import type { TraceContext } from './traceparent.ts';

/** Temporal header that carries a trace; its name and its member `traceparent` are those of Temporal's own SDKs. */
export const TRACE_HEADER = '_tracer-data';

/** Content of the header. */
export interface CarriedTrace {
  /** The span that started the run. */
  traceparent?: string;
  /** The run continues as new and then starts a new trace, because traces over weeks are unreadable. */
  startsAnew?: boolean;
}

/** Report of a workflow at the end of its run. */
export interface ReportedRun {
  traceContext: TraceContext;
  parent?: TraceContext;
  /** The run that this one continues. */
  link?: TraceContext;
  /** Type of its failure. */
  fault?: string;
}

/** Returns the span of a run before the run ends: the span id is the second half of the random run id. */
export function traceContextOfRun(runId: string, traceId?: string): TraceContext {
  const digits = runId.replaceAll('-', '').toLowerCase();
  return { traceId: traceId ?? digits, spanId: digits.slice(16), isSampled: true };
}
