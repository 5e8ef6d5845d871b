import type { Path } from '../../vocabulary/violations.ts';

/** No payload is nested deeper than this. */
export const NESTING_MAX = 32;

/**
 * Finds a value that is nested too deep, before anything recursive reads the payload. Walks level by level with lists
 * instead of the call stack, so 20,000 levels do no harm: it visits 33 of them.
 * @returns the path to the container that is one level too deep, or undefined
 */
export function findTooDeep(payload: unknown): Path | undefined {
  let level = [payload];
  for (let depth = 1; depth <= NESTING_MAX; depth += 1) {
    level = containersIn(level);
    if (level.length === 0) return undefined;
  }
  // A number whose text was kept is an object to JavaScript only.
  return level.every(JSON.isRawJSON) ? undefined : pathToDepth(payload, NESTING_MAX);
}

/** The lists and objects directly inside those of one level. */
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

/** The path to the first container at a depth; recursion is bounded by `depth`. */
function pathToDepth(value: unknown, depth: number): Path | undefined {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
  if (depth === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const rest = pathToDepth(member, depth - 1);
    if (rest !== undefined) return [Array.isArray(value) ? Number(key) : key, ...rest];
  }
  return undefined;
}
