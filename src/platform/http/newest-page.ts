import { isUuid } from '../../vocabulary/wire-forms.ts';
import { membersOf, type ValueSet } from '../../vocabulary/value-sets.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { limitParameter } from './query-parameters.ts';
import type { ParameterOpenApi } from './route-openapi.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** OpenAPI description of the parameter `limit` of such a list. */
export const newestPageLimit = (description: string): ParameterOpenApi =>
  limitParameter(description, LIMIT_DEFAULT, LIMIT_MAX);

/** The page of a list that is asked for: the newest items, or those before an item. */
interface NewestPage<Status extends string, Name extends string> {
  limit: number;
  before: string | undefined;
  status: Status | undefined;
  /** The other filters by name. */
  filters: Record<Name, string | undefined>;
  /** The query of the next page after these items; undefined if there are no more. */
  nextAfter(items: readonly { id: string }[]): string | undefined;
}

/**
 * Reads the query of a list of the newest items by id: `limit`, `cursor`, `status` and text filters.
 * @param names parameters that filter by a text
 * @param limitDefault the number of items if the query has no limit
 * @returns a refusal with all violations
 */
export function readNewestPage<Statuses extends ValueSet, Name extends string>(
  query: URLSearchParams,
  statuses: Statuses,
  names: readonly Name[],
  limitDefault = LIMIT_DEFAULT,
): NewestPage<keyof Statuses & string, Name> | Refused {
  const sent = query.get('limit');
  const limit = sent === null ? limitDefault : /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
  const cursor = query.get('cursor') ?? undefined;
  const status = query.get('status') ?? undefined;
  const texts = names.map((name) => [name, query.get(name) ?? undefined] as const);
  const violations: Violation[] = [];
  if (sent !== null && (limit < 1 || limit > LIMIT_MAX)) {
    violations.push(violation('invalid', ['limit'], `Send a whole number from 1 to ${LIMIT_MAX}.`));
  }
  if (cursor !== undefined && !isUuid(cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Use the cursor from the Link header of the previous page.'));
  }
  // Postgres cannot store this character in text.
  for (const [name, text] of texts) {
    if (text?.includes('\0') === true) violations.push(violation('null_characters_not_allowed', [name]));
  }
  if (status !== undefined && !Object.hasOwn(statuses, status)) {
    violations.push(violation('invalid_choice', ['status'], `Send one of ${membersOf(statuses).join(', ')}.`));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const kept = [...texts, ['status', status] as const].filter((one): one is [Name, string] => one[1] !== undefined);
  return {
    limit,
    before: cursor,
    status,
    filters: Object.fromEntries(texts) as Record<Name, string | undefined>,
    nextAfter: (items) => {
      const last = items.length === limit ? items.at(-1) : undefined;
      return last && new URLSearchParams([['limit', String(limit)], ['cursor', last.id], ...kept]).toString();
    },
  };
}

/** Cursor of a page: the id of an item. */
export const idCursor = {
  type: 'string',
  minLength: 1,
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
};

/** Cursor of a page: a string in base64url. */
export const textCursor = { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' };
