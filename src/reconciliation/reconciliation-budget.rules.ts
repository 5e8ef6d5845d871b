import { longWorkBudget } from '../platform/temporal/long-work-budget.rules.ts';

/** Budgets of reconciliations; a page of accounts is a transaction of its own. */
export const reconciliationBudget = {
  ...longWorkBudget,
  /** Accounts of one transaction, and while somebody waits for single creations. */
  atOnce: 200,
  atOnceBesideRequests: 25,
  /** Payment vendors are asked one question after the other: ten a second, where the closest limit of a vendor is at sixteen. */
  asking: { spacingMs: 100, pauseMs: 1_000, longestPauseMs: 20_000, failuresInARow: 12 },
  /** In one worker: a reconciliation has time. */
  runsAtOnce: 1,
} as const;
