import { ownErroredReasons } from '../../vocabulary/network-operators.ts';

/** A failed call for one identifier. */
export interface Failure {
  id: string;
  identifier: string;
  attemptId: string;
  customerAuthorisation: boolean;
  /** `reasonInTheEnd`: the errored reason of the identifier if this failure repeats. */
  error: Error & { reasonInTheEnd?: string | undefined };
}

/** Tries of one identifier, see `lookupBudget.identifier` in temporal.config.ts. */
export interface TryBudget {
  readonly triesMax: number;
  readonly retrySeconds: number;
  readonly deferredSeconds: number;
  readonly giveUpSeconds: number;
}

/** The outcome of a failed try. */
export type FailedOutcome = Omit<Failure, 'error'> &
  ({ kind: 'errored'; reason: string } | { kind: 'failed'; failure: string; dueSeconds: number });

/**
 * An identifier that fails alone is retried after pauses that double, then deferred and retried each hour. It ends as
 * errored after its time limit, or earlier if the failure is known to mean a wrong identifier.
 * @param before tries so far, and the seconds since the first of them
 */
export function failedOutcome(
  { error, ...lookup }: Failure,
  before: { tries: number; seconds: number },
  budget: TryBudget,
): FailedOutcome {
  const tries = before.tries + 1;
  if (tries >= budget.triesMax && error.reasonInTheEnd !== undefined) {
    return { ...lookup, kind: 'errored', reason: error.reasonInTheEnd };
  }
  if (tries > budget.triesMax && before.seconds >= budget.giveUpSeconds) {
    return { ...lookup, kind: 'errored', reason: ownErroredReasons.givenUp };
  }
  const dueSeconds = tries >= budget.triesMax ? budget.deferredSeconds : budget.retrySeconds * 2 ** (tries - 1);
  return { ...lookup, kind: 'failed', failure: error.name, dueSeconds };
}
