import type { RetryCounts } from '../../stuck/index.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { badge, fromNow } from '../frame/cells.ts';
import type { ListColumn } from '../frame/list.ts';
import { tabs } from '../frame/parts.ts';
import { html, type Html } from '../frame/html.ts';
import { done, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { BULK_ACTIONS, STUCK } from '../frame/paths.ts';
import { adviceOnSite } from '../frame/site-advice.rules.ts';

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

type StuckColumn = ListColumn<StuckView>;

/** The columns of stuck work that all its tables have. */
export function stuckColumns({ now }: PageRequest): Record<'cause' | 'since' | 'next' | 'advice', StuckColumn> {
  return {
    cause: [
      'Cause',
      ({ cause, paused, last_failure: failure }) =>
        html`${badge(cause, paused ? 'warn' : 'plain')}
        ${failure !== null && html`<br /><small>${failure.message}</small>`}`,
    ],
    since: ['Stuck since', ({ waiting_since: since }) => fromNow(since, now)],
    next: ['Next attempt', ({ paused, next_attempt_at: at }) => (paused ? 'paused' : fromNow(at, now))],
    advice: ['What to do', adviceOnSite, 'advice'],
  };
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
