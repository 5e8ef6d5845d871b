import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createContextKey,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type IdGenerator,
  type Sampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { TraceContext } from '../../vocabulary/trace-header.ts';
import type { EndedRun, OpenSpan, SpanAttributes, SpanRecorder, SpanStart } from './traces.ts';

/** Maximum number of spans below one span. A page of an import job makes thousands of statements, whose spans would cost much and help little. */
const BELOW_MAX = 200;
/** Limits of a span: short names, few attributes, and as many links as a batch has accounts. */
const LIMITS = { attributeCountLimit: 16, attributeValueLengthLimit: 128, eventCountLimit: 0, linkCountLimit: 128 };

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Set if the decision to record the span was made earlier. */
const DECIDED = createContextKey('decided');

export interface RecorderOptions {
  /** Share of the traces that are recorded, 0 to 1. */
  ratio: number;
  processor: SpanProcessor;
  /** Attributes of the process, on all spans. */
  resource: SpanAttributes;
}

/** Opens a recorder based on OpenTelemetry's SDK. */
export function openRecorder({ ratio, processor, resource }: RecorderOptions): SpanRecorder {
  const ids = new GivenIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: samplerOf(ratio),
    spanLimits: LIMITS,
    idGenerator: ids,
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('gangway');
  const active = new AsyncLocalStorage<RecordedSpan>();
  const start = ({ name, kind, attributes, links = [], ...start }: SpanStart): RecordedSpan => {
    const span = tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(attributes ? { attributes } : {}),
        links: links.map((traceContext) => ({ context: contextOf(traceContext) })),
      },
      parentOf(start, active.getStore()),
    );
    return new RecordedSpan(span, active);
  };
  return {
    active: () => active.getStore(),
    start,
    startBelow: (given) => (active.getStore()?.acceptsChild() ? start(given) : undefined),
    recordRun: (run) => recordRun(tracer, ids, run),
  };
}

/** A caller may decline recording but cannot request it; otherwise clients would determine the cost of tracing. */
function samplerOf(ratio: number): Sampler {
  const share = new TraceIdRatioBasedSampler(ratio);
  const byParent = new ParentBasedSampler({ root: share, remoteParentSampled: share });
  return {
    shouldSample: (context, ...rest) =>
      context.getValue(DECIDED) === true
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : byParent.shouldSample(context, ...rest),
    toString: () => byParent.toString(),
  };
}

function parentOf(
  { parent, isParentForeign = false }: Pick<SpanStart, 'parent' | 'isParentForeign'>,
  active: RecordedSpan | undefined,
): Context {
  if (parent !== undefined) return trace.setSpanContext(ROOT_CONTEXT, contextOf(parent, isParentForeign));
  return active === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, active.context);
}

function contextOf({ traceId, spanId, isSampled }: TraceContext, isRemote = false): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote };
}

function recordRun(
  tracer: Tracer,
  ids: GivenIds,
  { name, attributes, traceContext, parent, links = [], startedAt, fault }: EndedRun,
): void {
  const above = parent === undefined ? ROOT_CONTEXT : parentOf({ parent }, undefined);
  const span = ids.during(traceContext, () =>
    tracer.startSpan(
      name,
      { attributes, startTime: startedAt, links: links.map((linked) => ({ context: contextOf(linked) })) },
      above.setValue(DECIDED, true),
    ),
  );
  if (fault !== undefined) markFailed(span, fault);
  span.end();
}

/** Generates random ids, except for a span whose id was assigned earlier. */
class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: TraceContext | undefined;

  readonly generateTraceId = (): string => this.#given?.traceId ?? this.#random.generateTraceId();
  readonly generateSpanId = (): string => this.#given?.spanId ?? this.#random.generateSpanId();

  during<T>(given: TraceContext, make: () => T): T {
    this.#given = given;
    try {
      return make();
    } finally {
      this.#given = undefined;
    }
  }
}

function markFailed(span: Span, fault: string): void {
  span.setAttribute('error.type', fault);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

class RecordedSpan implements OpenSpan {
  readonly context: SpanContext;
  readonly traceContext: TraceContext;
  readonly #span: Span;
  readonly #active: AsyncLocalStorage<RecordedSpan>;
  #below = 0;

  constructor(span: Span, active: AsyncLocalStorage<RecordedSpan>) {
    this.#span = span;
    this.#active = active;
    this.context = span.spanContext();
    const { traceId, spanId, traceFlags } = this.context;
    this.traceContext = { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  acceptsChild(): boolean {
    if (!this.#span.isRecording()) return false;
    this.#below += 1;
    return this.#below <= BELOW_MAX;
  }

  around<T>(work: () => T): T {
    return this.#active.run(this, work);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  link(to: TraceContext): void {
    this.#span.addLink({ context: contextOf(to) });
  }

  fail(fault: string): void {
    markFailed(this.#span, fault);
  }

  end(): void {
    const omitted = this.#below - BELOW_MAX;
    if (omitted > 0) this.#span.setAttribute('gangway.spans_left_out', omitted);
    this.#span.end();
  }
}
