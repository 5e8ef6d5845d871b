import { ownErroredReasons } from '../../vocabulary/network-operators.ts';

/** A call that failed for one identifier. */
export interface Failure {
  id: string;
  identifier: string;
  takenBy: string;
  customerAuthorisation: boolean;
  /** `reasonInTheEnd`: what the identifier is taken for when it fails like this again and again. */
  error: Error & { reasonInTheEnd?: string | undefined };
}

/** Tries of one identifier, see `lookupBudget.identifier` in temporal.config.ts. */
export interface TryBudget {
  readonly triesMax: number;
  readonly retrySeconds: number;
  readonly deferredSeconds: number;
  readonly giveUpSeconds: number;
}

/** What comes of one more try in vain. */
export type FailedOutcome = Omit<Failure, 'error'> &
  ({ kind: 'errored'; reason: string } | { kind: 'failed'; failure: string; dueSeconds: number });

/**
 * An identifier that alone keeps failing is retried after pauses that double, is then deferred and asked for each hour, and ends as
 * errored when its time is over, or at once when its failure is known to mean a wrong identifier.
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
