import type { TraceContext } from '../../vocabulary/trace-header.ts';

/** Attributes of a span: our names and codes, never request data. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** The parent span. Default: the active span; without one a new trace begins. */
  parent?: TraceContext;
  /** The parent comes from outside. It may decline recording, but cannot request it. */
  isParentForeign?: boolean;
  /** Related spans in other traces. */
  links?: readonly TraceContext[];
}

/** A workflow run, reported when it ends. Its id is assigned at the start, because spans below it are recorded while it runs. */
export interface EndedRun {
  name: string;
  attributes: SpanAttributes;
  traceContext: TraceContext;
  parent?: TraceContext;
  links?: readonly TraceContext[];
  startedAt: Date;
  /** Type of its failure. */
  fault?: string;
}

export interface OpenSpan {
  readonly traceContext: TraceContext;
  /** Runs work with this span as the active one. */
  around<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  link(to: TraceContext): void;
  /** @param fault a code or the name of an error; never its message, which may quote data */
  fail(fault: string): void;
  end(): void;
}

/** Records spans and sends them to the collector (record-spans.ts). */
export interface SpanRecorder {
  active(): OpenSpan | undefined;
  start(start: SpanStart): OpenSpan;
  /** Starts a span below the active one, unless that has ended, is not recorded, or has enough spans below it. */
  startBelow(start: SpanStart): OpenSpan | undefined;
  recordRun(run: EndedRun): void;
}

/** The recorder of the process; undefined if tracing is off. */
let recorder: SpanRecorder | undefined;

/** Sets the recorder for new spans; undefined turns tracing off. */
export function recordSpansBy(next: SpanRecorder | undefined): void {
  recorder = next;
}

/** Whether tracing is on. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/** The active span. */
export function activeSpan(): OpenSpan | undefined {
  return recorder?.active();
}

/** Trace fields of a log line. */
export function traceOfLine(): { traceId?: string } {
  const span = activeSpan();
  return span === undefined ? {} : { traceId: span.traceContext.traceId };
}

/** Starts a span that the caller must end; undefined if tracing is off. */
export function startSpan(start: SpanStart): OpenSpan | undefined {
  return recorder?.start(start);
}

/** Records an ended run if tracing is on. */
export function recordRun(run: EndedRun): void {
  recorder?.recordRun(run);
}

/** Runs work within a span, and ends the span afterward. */
export async function within<T>(span: OpenSpan, work: () => Promise<T>): Promise<T> {
  return span.around(() => endingWith(span, work));
}

/**
 * Runs work as a span of the active trace, for example a statement or a call to an outside party. Without an active trace nothing is
 * recorded, because routine work would hide the rest.
 * @param start called only if a span is recorded
 */
export async function traced<T>(start: () => SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  if (recorder?.active() === undefined) return work();
  const span = recorder.startBelow(start());
  return span === undefined ? work() : endingWith(span, () => work(span));
}

async function endingWith<T>(span: OpenSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.fail(faultOf(error));
    throw error;
  } finally {
    span.end();
  }
}

const CODE = /^\w{1,40}$/;

/** Returns the failure type of an activity, the code of a network or database error, or the name of the error. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, code } = error as { type?: unknown; code?: unknown };
  return (
    ([type, code].find((known) => typeof known === 'string' && CODE.test(known)) as string | undefined) ?? error.name
  );
}
