import type { SpanPlace } from '../../vocabulary/traceparent.ts';

/** Attributes of a span: our names and codes, never a value that a client sent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** The parent span; without it the active one, and without that one a new trace begins. */
  parent?: SpanPlace;
  /** The parent came from outside: it may ask for less to be recorded, and not for more. */
  isParentForeign?: boolean;
  /** Spans of other traces that led to this one. */
  links?: readonly SpanPlace[];
}

/** A run of a workflow, reported when it has ended: its spans below are recorded while it runs, so it has its id from the start. */
export interface EndedRun {
  name: string;
  attributes: SpanAttributes;
  place: SpanPlace;
  parent?: SpanPlace;
  links?: readonly SpanPlace[];
  startedAt: Date;
  /** What it failed with. */
  fault?: string;
}

export interface OpenSpan {
  readonly place: SpanPlace;
  /** Does work of which this span is the active one. */
  around<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  link(to: SpanPlace): void;
  /** @param fault a code or the name of an error; never its message, which may quote a value */
  fail(fault: string): void;
  end(): void;
}

/** Records spans and sends them off (record-spans.ts). */
export interface SpanRecorder {
  active(): OpenSpan | undefined;
  start(start: SpanStart): OpenSpan;
  /** Starts a span below the active one, unless that is over, is not recorded, or has enough below it. */
  startBelow(start: SpanStart): OpenSpan | undefined;
  recordRun(run: EndedRun): void;
}

/** One for the process, as is the connection to the collector; undefined while traces are off. */
let recorder: SpanRecorder | undefined;

/** From now on spans are recorded by this recorder; undefined: no more. */
export function recordSpansBy(next: SpanRecorder | undefined): void {
  recorder = next;
}

/** Whether traces are on. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/** The span that the work under way belongs to. */
export function activeSpan(): OpenSpan | undefined {
  return recorder?.active();
}

/** What each line of the log says of the trace that it belongs to. */
export function traceOfLine(): { traceId?: string } {
  const span = activeSpan();
  return span === undefined ? {} : { traceId: span.place.traceId };
}

/** Starts a span that its caller ends; undefined while traces are off. */
export function startSpan(start: SpanStart): OpenSpan | undefined {
  return recorder?.start(start);
}

/** Reports that a run has ended; does nothing while traces are off. */
export function recordRun(run: EndedRun): void {
  recorder?.recordRun(run);
}

/** Does work within a span, and ends it with the work. */
export async function within<T>(span: OpenSpan, work: () => Promise<T>): Promise<T> {
  return span.around(() => endingWith(span, work));
}

/**
 * Does work that is recorded as one span of the active trace, such as a statement or a call to an outside party. Outside of a
 * trace it is not recorded: the routine work of a process would drown the rest.
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

/** The type of a failure of an activity, the code of a fault of network or database, else the name of the error. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, code } = error as { type?: unknown; code?: unknown };
  return ([type, code].find((told) => typeof told === 'string' && CODE.test(told)) as string | undefined) ?? error.name;
}
