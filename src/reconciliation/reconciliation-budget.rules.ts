import { longWorkBudget } from '../platform/temporal/long-work-budget.rules.ts';

/** Budgets of reconciliations; a page of accounts is a transaction of its own. */
export const reconciliationBudget = {
  ...longWorkBudget,
  /** Accounts of one transaction, and while somebody waits for single creations. */
  atOnce: 200,
  atOnceBesideRequests: 25,
  /** Each payment vendor is asked ten questions a second, where the closest limit of a vendor is at sixteen, and holds a third of its places at most. */
  asking: { page: 40, spacingMs: 100, atOnce: 4, pauseMs: 1_000, longestPauseMs: 20_000, failuresInARow: 12 },
  /** In one worker: a reconciliation has time. */
  runsAtOnce: 1,
} as const;
