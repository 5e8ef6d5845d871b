import { isGrpcServiceError } from '@temporalio/client';
import { TemporalUnavailable } from './temporal-gateway.ts';

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE: the same call succeeds later. */
const GRPC_LATER = new Set([1, 4, 8, 14]);
const GRPC_NOT_FOUND = 5;

/** Tells that Temporal is out of reach or overloaded. */
export function isTemporalAway(error: unknown): boolean {
  return error instanceof TemporalUnavailable || hasCode(error, GRPC_LATER);
}

/** Tells that Temporal answered that there is no such thing (any more). */
export function isNotFound(error: unknown): boolean {
  return hasCode(error, new Set([GRPC_NOT_FOUND]));
}

/** The client wraps some of what the connection says, such as a start that failed; the innermost of it carries the code. */
function hasCode(error: unknown, codes: ReadonlySet<number>): boolean {
  for (let fault = error; typeof fault === 'object' && fault !== null; fault = (fault as { cause?: unknown }).cause) {
    if (isGrpcServiceError(fault)) return codes.has(fault.code);
  }
  return false;
}
