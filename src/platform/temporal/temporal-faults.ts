import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { causesOf } from '../database/faults.ts';

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE: a retry can succeed. */
const GRPC_LATER = new Set([1, 4, 8, 14]);
const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
/** Messages of the server about attributes that are not registered yet. */
const ATTRIBUTE_SENTENCES = /search attribute|no mapping defined|invalid (?:column|field|query)/i;
const NAMESPACE_SENTENCES = /namespace/i;

/** Returns whether Temporal is unreachable, overloaded, or not set up for this service (any more), so that a retry can succeed. */
export function isTemporalAway(error: unknown): boolean {
  const fault = answerIn(error);
  return (
    error instanceof TemporalUnavailable ||
    (fault !== undefined && GRPC_LATER.has(fault.code)) ||
    isSearchAttributeMissing(error) ||
    isNamespaceMissing(error)
  );
}

/** Returns whether Temporal reported that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return answerIn(error)?.code === GRPC_NOT_FOUND && !isNamespaceMissing(error);
}

/** Returns whether Temporal does not know our search attributes because its store is new or was lost. */
export function isSearchAttributeMissing(error: unknown): boolean {
  const fault = answerIn(error);
  return fault?.code === GRPC_INVALID_ARGUMENT && ATTRIBUTE_SENTENCES.test(fault.details);
}

/** Returns whether Temporal does not know our namespace. */
function isNamespaceMissing(error: unknown): boolean {
  // The client replaces some of these errors by its own, which have no code.
  if (error instanceof NamespaceNotFoundError) return true;
  const fault = answerIn(error);
  return fault?.code === GRPC_NOT_FOUND && NAMESPACE_SENTENCES.test(fault.details);
}

/** The client wraps some gRPC errors; the innermost one has the code. */
function answerIn(error: unknown): { code: number; details: string } | undefined {
  const fault = [...causesOf(error)].find(isGrpcServiceError);
  return fault && { code: fault.code, details: `${fault.details} ${fault.message}` };
}

/** Temporal has not been reached yet, so nothing was started. */
export class TemporalUnavailable extends Error {
  override name = 'TemporalUnavailable';
}
