import { expect } from '@jest/globals';

/**
 * The complete body of a rejection without violations, for `toEqual`.
 * @param detail the sentence, or a matcher
 * @param more further members
 */
export function errorBody(
  code: string,
  detail: unknown = expect.any(String),
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { detail, code, errors: [], doc_url: `/docs/codes/${code}/`, ...more };
}
