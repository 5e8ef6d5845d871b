import { longWorkBudget } from '../../platform/temporal/long-work-budget.rules.ts';

/** Budgets of import jobs; a page of lines is a transaction of its own. */
export const importJobBudget = {
  ...longWorkBudget,
  /** Activities at once in one worker: jobs take turns beyond that. */
  jobsAtOnce: 2,
  /** Lines of one transaction, and while somebody waits for single creations. */
  atOnce: 250,
  atOnceBesideRequests: 32,
  /** Pages that one job creates at once; half of the machine, so that the other half is left to single requests. */
  lanes: 2,
} as const;
