import type { Html } from '../frame/html.ts';
import { tabs } from '../frame/list-parts.ts';

/** Where the check stands. */
export const CHECK = '/stuck/check';

/** The pages about what is pending. */
export function stuckTabs(at: '/stuck' | typeof CHECK): Html {
  return tabs(
    'What is pending',
    [
      ['/stuck', 'Pending'],
      [CHECK, 'Check of the two stores'],
    ],
    at,
  );
}
