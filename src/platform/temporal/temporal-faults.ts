import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE: the same call succeeds later. */
const GRPC_LATER = new Set([1, 4, 8, 14]);
const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
/** What the server says of a start or a query with an attribute that is not registered, or not yet. */
const ATTRIBUTE_SENTENCES = /search attribute|no mapping defined|invalid (?:column|field|query)/i;
const NAMESPACE_SENTENCES = /namespace/i;

/** Returns whether Temporal is unreachable, overloaded, or not (or no longer) set up for this service: a retry succeeds later. */
export function isTemporalAway(error: unknown): boolean {
  const fault = answerIn(error);
  return (
    error instanceof TemporalUnavailable ||
    (fault !== undefined && GRPC_LATER.has(fault.code)) ||
    isSearchAttributeMissing(error) ||
    isNamespaceMissing(error)
  );
}

/** Returns whether Temporal answered that the object does not exist (any more). */
export function isNotFound(error: unknown): boolean {
  return answerIn(error)?.code === GRPC_NOT_FOUND && !isNamespaceMissing(error);
}

/** Returns whether Temporal does not know our search attributes: its store is new, or was lost. */
export function isSearchAttributeMissing(error: unknown): boolean {
  const fault = answerIn(error);
  return fault?.code === GRPC_INVALID_ARGUMENT && ATTRIBUTE_SENTENCES.test(fault.details);
}

/** Returns whether Temporal does not know our namespace. */
function isNamespaceMissing(error: unknown): boolean {
  // The client replaces some of these errors by its own, without a code.
  if (error instanceof NamespaceNotFoundError) return true;
  const fault = answerIn(error);
  return fault?.code === GRPC_NOT_FOUND && NAMESPACE_SENTENCES.test(fault.details);
}

/** The client wraps some of what the connection says, such as a start that failed; the innermost of it carries the code. */
function answerIn(error: unknown): { code: number; details: string } | undefined {
  for (let fault = error; typeof fault === 'object' && fault !== null; fault = (fault as { cause?: unknown }).cause) {
    if (isGrpcServiceError(fault)) return { code: fault.code, details: `${fault.details} ${fault.message}` };
  }
  return undefined;
}

/** Raised when Temporal has not been reached yet: nothing was started. */
export class TemporalUnavailable extends Error {
  override name = 'TemporalUnavailable';
}
