/** Budgets of reconciliations. Our own database is retried for ever; a page of accounts is a transaction of its own. */
export const reconciliationBudget = {
  /** One activity works for so long, then its run tells how far it is. */
  workMs: 5_000,
  work: {
    startToCloseTimeout: '60s',
    heartbeatTimeout: '15s',
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '10s',
  },
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** Accounts of one transaction, and while somebody waits for single creations. */
  accountsAtOnce: 200,
  accountsBesideRequests: 25,
  /** In one worker: a reconciliation has time. */
  runsAtOnce: 1,
  /** Rounds of a run before it goes on as a new one. */
  roundsPerRun: 200,
} as const;
