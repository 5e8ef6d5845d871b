/** Budgets of import jobs. Our own database is retried for ever; a page of lines is a transaction of its own. */
export const importJobBudget = {
  /** One activity works for so long, then its run tells how far the job is. */
  workMs: 5_000,
  work: {
    startToCloseTimeout: '60s',
    heartbeatTimeout: '15s',
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '10s',
  },
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** Activities at once in one worker: jobs take turns beyond that. */
  jobsAtOnce: 2,
  /** Lines of one transaction, and while somebody waits for single creations. */
  linesAtOnce: 250,
  linesBesideRequests: 32,
  /** Pages that one job creates at once; half of the machine, so that the other half is left to single requests. */
  lanes: 2,
  /** Rounds of a run before it goes on as a new one. */
  roundsPerRun: 200,
} as const;
