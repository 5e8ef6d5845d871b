const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * Budget of work that lasts for hours and is done a few seconds at a time, by a run that tells in between how far it is. Our own
 * database is retried for ever. `work` and `step` are options of activities.
 */
export const longWorkBudget = {
  /** One activity works for so long. */
  workMs: 5_000,
  work: { startToCloseTimeout: '60s', heartbeatTimeout: '15s', retry },
  /** Short steps beside it. */
  step: { startToCloseTimeout: '15s', retry },
  /** Rounds of a run before it goes on as a new one. */
  roundsPerRun: 200,
} as const;
