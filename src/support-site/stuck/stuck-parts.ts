import type { Flash } from '../../access/index.ts';
import type { RetryCounts } from '../../stuck/index.ts';
import type { Html } from '../frame/html.ts';
import { tabs } from '../frame/list-parts.ts';

export const CHECK = '/stuck/check';

/** Tabs of the pages about stuck work. */
export function stuckTabs(at: '/stuck' | typeof CHECK): Html {
  return tabs(
    'Stuck',
    [
      ['/stuck', 'Stuck work'],
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

/** The outcomes of retries as a message; a problem unless at least one was retried. */
export function outcomeOf(counts: RetryCounts): Flash {
  const parts = Object.entries(counts).map(([outcome, of]) => `${of} ${new Map(Object.entries(WORDS)).get(outcome)}`);
  const isRetried = counts.activity_reset || counts.asked_again || counts.workflow_started;
  return {
    kind: isRetried ? 'done' : 'problem',
    text: parts.length === 0 ? 'Nothing is left to retry.' : `${parts.join(', ')}.`,
  };
}
