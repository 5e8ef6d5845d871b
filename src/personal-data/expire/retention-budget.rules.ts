import { longWorkBudget } from '../../platform/temporal/long-work-budget.rules.ts';

/** Budgets of the retention; a page of rows is a transaction of its own. */
export const retentionBudget = {
  ...longWorkBudget,
  /** Rows of one transaction, and while somebody waits for single creations. */
  atOnce: 200,
  atOnceBesideRequests: 25,
} as const;
