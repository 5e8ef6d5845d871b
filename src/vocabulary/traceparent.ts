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
