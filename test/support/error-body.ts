import { expect } from '@jest/globals';

/**
 * The whole body of a refusal without violations, for `toEqual`: detail, code and errors, where the code is
 * explained, and nothing else.
 * @param detail the sentence, or what to expect of it
 * @param more members that stand beside these
 */
export function errorBody(
  code: string,
  detail: unknown = expect.any(String),
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { detail, code, errors: [], doc_url: `/docs/codes/${code}/`, ...more };
}
