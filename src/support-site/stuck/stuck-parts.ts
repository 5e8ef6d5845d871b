import type { RetryCounts } from '../../stuck/index.ts';
import { tabs } from '../frame/parts.ts';
import type { Html } from '../frame/html.ts';
import { done, problem, type PageAnswer } from '../frame/page.ts';
import { BULK_ACTIONS, STUCK } from '../frame/paths.ts';

export const CHECK = '/stuck/check';

/** Tabs of the pages about stuck work. */
export function stuckTabs(at: typeof STUCK | typeof CHECK | typeof BULK_ACTIONS): Html {
  return tabs(
    'Stuck',
    [
      [STUCK, 'Stuck work'],
      [BULK_ACTIONS, 'Bulk actions'],
      [CHECK, 'Consistency check'],
    ],
    at,
  );
}

const WORDS: Required<Record<keyof RetryCounts, string>> = {
  activity_reset: 'retried',
  asked_again: 'requested again',
  workflow_started: 'started',
  running: 'already in progress',
  unchanged: 'not retried: a decision is needed',
  gone: 'completed in the meantime',
};

/** The page after retries with their outcomes: a problem unless at least one was retried. */
export function retried(redirect: string, counts: RetryCounts): PageAnswer {
  const parts = Object.entries(counts).map(([outcome, of]) => `${of} ${new Map(Object.entries(WORDS)).get(outcome)}`);
  const isRetried = counts.activity_reset || counts.asked_again || counts.workflow_started;
  const text = parts.length === 0 ? 'Nothing is left to retry.' : `${parts.join(', ')}.`;
  return isRetried ? done(redirect, text) : problem(redirect, text);
}
