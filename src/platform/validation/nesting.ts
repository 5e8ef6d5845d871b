import type { Path } from '../../vocabulary/violations.ts';

/** Maximum nesting depth of a payload. */
export const NESTING_MAX = 32;

/**
 * Finds a value that is nested too deep, before any recursive function reads the payload. Walks level by level without recursion, and
 * visits at most 33 levels.
 * @returns the path of the container that is one level too deep, or undefined
 */
export function findTooDeep(payload: unknown): Path | undefined {
  let level = [payload];
  for (let depth = 1; depth <= NESTING_MAX; depth += 1) {
    level = containersIn(level);
    if (level.length === 0) return undefined;
  }
  // A `JSON.rawJSON` number is an object only to JavaScript.
  return level.every(JSON.isRawJSON) ? undefined : pathToDepth(payload, NESTING_MAX);
}

/** Returns the lists and objects one level below. */
function containersIn(level: readonly unknown[]): unknown[] {
  const next: unknown[] = [];
  for (const value of level) {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) next.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        const member = (value as Record<string, unknown>)[key];
        if (typeof member === 'object' && member !== null) next.push(member);
      }
    }
  }
  return next;
}

/** Returns the path of the first container at a depth. Recursion is limited by `depth`. */
function pathToDepth(value: unknown, depth: number): Path | undefined {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
  if (depth === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const rest = pathToDepth(member, depth - 1);
    if (rest !== undefined) return [Array.isArray(value) ? Number(key) : key, ...rest];
  }
  return undefined;
}
