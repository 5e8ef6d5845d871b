import { longWorkBudget } from '../platform/temporal/long-work-budget.rules.ts';

/** Budgets of reconciliations; a page of accounts is a transaction of its own. */
export const reconciliationBudget = {
  ...longWorkBudget,
  /** Accounts of one transaction, and while somebody waits for single creations. */
  atOnce: 200,
  atOnceBesideRequests: 25,
  /** In one worker: a reconciliation has time. */
  runsAtOnce: 1,
} as const;
