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

/** Trace context of a span, as in the header `traceparent` of W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether the trace is recorded. */
  isSampled: boolean;
}

/** Later versions may append fields. */
const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const SAMPLED = 1;

/** Parses a `traceparent`; undefined if it is malformed. */
export function parseTraceparent(traceparent: string): TraceContext | undefined {
  const [, traceId, spanId, flags] = FORM.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Writes a `traceparent`. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
