import type { SpanPlace } from './traceparent.ts';

/** The header of Temporal that carries a trace; its name and `traceparent` in it are those of Temporal's own SDKs. */
export const TRACE_HEADER = '_tracer-data';

/** What stands in it. */
export interface CarriedTrace {
  /** The span that started what is started. */
  traceparent?: string;
  /** True where a run goes on in a new one: that has a trace of its own, because a trace of weeks nobody can read. */
  startsAnew?: boolean;
}

/** What a workflow tells of its run when that is over. */
export interface ToldRun {
  place: SpanPlace;
  parent?: SpanPlace;
  /** The run that it goes on from. */
  link?: SpanPlace;
  /** What it failed with. */
  fault?: string;
}

/** The span of a run, which is known before the run is over: its id is the end of the run's own, which is random. */
export function placeOfRun(runId: string, traceId?: string): SpanPlace {
  const digits = runId.replaceAll('-', '').toLowerCase();
  return { traceId: traceId ?? digits, spanId: digits.slice(16), isSampled: true };
}
