import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { cursorIn, listOrderOf, type AccountCursor } from './account-filter.rules.ts';
import { dayInRange } from '../vocabulary/wire-forms.ts';
import { accountFilterSchema, type AccountFilter } from './account-filter.schema.ts';

const check = compileOperatorBody<AccountFilter>(accountFilterSchema);

/** Names of the filters, in the order in which they are shown. */
export const accountFilters = Object.keys(accountFilterSchema.properties) as (keyof AccountFilter)[];

const isDayFilter = (name: string) => name.endsWith('_from') || name.endsWith('_to');

/** Reads filters and cursor of a query; other parameters are left to others. @returns a refusal with every fault */
export function readAccountFilter(
  query: URLSearchParams,
): { filter: AccountFilter; after: AccountCursor | undefined } | Refused {
  const sent = accountFilters.flatMap((name) => {
    const value = query.get(name)?.trim();
    return value ? [[name, isDayFilter(name) ? dayInRange(value) : value]] : [];
  });
  const filter = check(Object.fromEntries(sent));
  if (isRefused(filter)) return filter;
  const cursor = query.get('cursor') || undefined;
  const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter));
  if (cursor !== undefined && after === undefined) {
    const detail = 'Take the cursor from the page before, with the same filters.';
    return refuse('validation_failed', { violations: [violation('invalid', ['cursor'], detail)] });
  }
  return { filter, after };
}
