import { nearestName } from '../../vocabulary/nearest-name.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { shownName, violation } from '../../vocabulary/violations.ts';

/** A query with more parameters is not told about each of them. */
const UNKNOWN_LISTED_MAX = 20;

/**
 * Refuses a query with a parameter that the operation does not have: a misspelt one would be passed over without a word,
 * and what it was to change would happen all the same.
 * @param querystring as it was sent, without the question mark
 * @param known the names that the operation declares in its openApi
 */
export function findUnknownQuery(querystring: string, known: readonly string[]): Refused | undefined {
  if (querystring === '') return undefined;
  const unknown = [...new Set(new URLSearchParams(querystring).keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const violations = unknown
    .slice(0, UNKNOWN_LISTED_MAX)
    .map((name) => violation('invalid', [shownName(name)], sentenceOf(shownName(name), known)));
  return refuse('unknown_query_parameter', {
    detail: violations[0]!.detail,
    violations,
    truncated: unknown.length > UNKNOWN_LISTED_MAX,
  });
}

function sentenceOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return `There is no query parameter ${JSON.stringify(name)}; this operation takes none.`;
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no query parameter ${JSON.stringify(name)}.${meant} This operation takes ${known.join(', ')}.`;
}

/**
 * Reads a boolean of a query: `true`, `false`, `1` or `0`, in any case of letters.
 * @returns undefined if the text is none of them
 */
export function booleanIn(text: string): boolean | undefined {
  switch (text.toLowerCase()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return undefined;
  }
}
