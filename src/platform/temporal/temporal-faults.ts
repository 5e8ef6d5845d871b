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

function hasCode(error: unknown, codes: ReadonlySet<number>): boolean {
  return isGrpcServiceError(error) && codes.has(error.code);
}
