import { defaultPayloadConverter, TemporalFailure, type Headers } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import {
  parseTraceparent,
  traceparentOf,
  type TraceContext,
  traceContextOfRun,
  TRACE_HEADER,
  type CarriedTrace,
  type ReportedRun,
} from '../src/vocabulary/trace-header.ts';

/** Reports an ended run to the worker, except on replay. */
export interface TraceSinks extends Sinks {
  traces: {
    ended(run: { traceContext: TraceContext; parent?: TraceContext; link?: TraceContext; fault?: string }): void;
  };
}

const { traces } = proxySinks<TraceSinks>();

/**
 * Passes the trace of the caller on to activities and child runs. It is deterministic and makes no commands, so histories replay the same
 * with and without traces. A run that was started without a trace has none.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let traceContext: TraceContext | undefined;
  const carried = (headers: Headers, startsAnew = false): Headers =>
    traceContext === undefined ? headers : { ...headers, [TRACE_HEADER]: headerOf(traceContext, startsAnew) };
  return {
    inbound: [
      {
        execute: async (input, next) => {
          const { traceparent, startsAnew = false } = readHeader(input.headers);
          const above = traceparent === undefined ? undefined : parseTraceparent(traceparent);
          if (above?.isSampled !== true) return next(input);
          traceContext = traceContextOfRun(workflowInfo().runId, startsAnew ? undefined : above.traceId);
          const run: ReportedRun = { traceContext, ...(startsAnew ? { link: above } : { parent: above }) };
          try {
            const result = await next(input);
            traces.ended(run);
            return result;
          } catch (error) {
            if (error instanceof ContinueAsNew) traces.ended(run);
            // Any other error fails the workflow task only, and the run continues.
            else if (error instanceof TemporalFailure) traces.ended({ ...run, fault: error.name });
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: carried(input.headers) }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: carried(input.headers) }),
        startChildWorkflowExecution: (input, next) => next({ ...input, headers: carried(input.headers) }),
        continueAsNew: (input, next) => next({ ...input, headers: carried(input.headers, true) }),
      },
    ],
  };
};

function readHeader(headers: Headers): CarriedTrace {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return {};
  try {
    return defaultPayloadConverter.fromPayload<CarriedTrace | null>(payload) ?? {};
  } catch {
    // A header of another sender in another format must not fail the run.
    return {};
  }
}

function headerOf(traceContext: TraceContext, startsAnew: boolean) {
  const content: CarriedTrace = { traceparent: traceparentOf(traceContext), ...(startsAnew ? { startsAnew } : {}) };
  return defaultPayloadConverter.toPayload(content);
}
