import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { taskQueues } from '../../../temporal.config.ts';
import {
  TRACE_HEADER,
  type CarriedTrace,
  type ReportedRun,
  parseTraceparent,
  traceparentOf,
  type TraceContext,
} from '../../vocabulary/trace-header.ts';
import { recordRun, startSpan, within } from '../traces/traces.ts';

/**
 * Gives every start of a workflow a span and passes it to the run. Without an enclosing span it begins a new trace. Runs get no
 * trace context if the trace is not sampled; the worker's probe is not traced.
 */
export const traceStarts: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => startTraced(input, input.options.taskQueue, next),
  signalWithStart: (input, next) => startTraced(input, input.options.taskQueue, next),
};

async function startTraced<Input extends { workflowType: string; headers: Headers }, Output>(
  input: Input,
  taskQueue: string,
  next: (input: Input) => Promise<Output>,
): Promise<Output> {
  const span =
    taskQueue === taskQueues.probe
      ? undefined
      : startSpan({ name: `StartWorkflow:${input.workflowType}`, kind: 'producer' });
  if (span === undefined) return next(input);
  const content: CarriedTrace = { traceparent: traceparentOf(span.traceContext) };
  const headers = { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(content) };
  return within(span, () => next(span.traceContext.isSampled ? { ...input, headers } : input));
}

/** Gives every attempt of an activity a span below its run. */
export const traceActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: async (input, next) => {
      const parent = parentIn(input.headers);
      const span =
        parent &&
        startSpan({
          name: `RunActivity:${info.activityType}`,
          kind: 'consumer',
          parent,
          attributes: { 'temporal.run_id': info.workflowExecution?.runId ?? '', 'temporal.attempt': info.attempt },
        });
      return span === undefined ? next(input) : within(span, () => next(input));
    },
  },
});

/** Only our workflows write this header. */
function parentIn(headers: Headers): TraceContext | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  const { traceparent } = defaultPayloadConverter.fromPayload<CarriedTrace>(payload);
  return traceparent === undefined ? undefined : parseTraceparent(traceparent);
}

/**
 * Sink by which workflows report ended runs (workflows/trace-run.ts). Always present, because a run may carry a trace that a process
 * without tracing has to pass on.
 */
export const traceSinks: InjectedSinks<{ traces: { ended(run: ReportedRun): void } }> = {
  traces: {
    ended: {
      fn: ({ workflowType, runId, startTime }, { link, ...run }) =>
        recordRun({
          ...run,
          name: `RunWorkflow:${workflowType}`,
          attributes: { 'temporal.run_id': runId },
          startedAt: startTime,
          ...(link ? { links: [link] } : {}),
        }),
    },
  },
};
