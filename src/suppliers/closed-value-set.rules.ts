import { listOf, membersIn, type Loose } from '../vocabulary/loose-payload.ts';
import { ownMember } from '../foundation/table.ts';
import type { DescribingPaths } from '../vocabulary/value-sets.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';

/** The describing sets that operators have closed for a supplier: allowed values by set name. */
export type ClosedValueSets = Readonly<Record<string, readonly string[]>>;

/**
 * Finds values outside the sets that are closed for the payload's supplier.
 * @param places paths of the members that use describing sets
 */
export function findClosedValueSetViolations(
  payload: Loose,
  closed: ClosedValueSets | undefined,
  paths: DescribingPaths,
): Violation[] {
  const found: Violation[] = [];
  if (closed === undefined) return found;
  for (const [set, path] of paths) {
    const allowed = ownMember(closed, set);
    // Options stored before validation existed may have any type.
    if (Array.isArray(allowed)) checkPath(payload, path.split('.'), [], allowed, found);
  }
  return found;
}

/** Follows a path into the payload; `*` matches every item. */
function checkPath(
  value: unknown,
  segments: readonly string[],
  path: Path,
  allowed: readonly string[],
  found: Violation[],
): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    if (typeof value === 'string' && value !== '' && !allowed.includes(value)) {
      found.push(violation('invalid_choice', path, `The value is not one of ${allowed.join(', ')}.`));
    }
  } else if (segment === '*') {
    for (const [index, item] of listOf(value).entries()) checkPath(item, rest, [...path, index], allowed, found);
  } else {
    checkPath(membersIn(value)[segment], rest, [...path, segment], allowed, found);
  }
}
