import type { DifferenceKind } from '../../vocabulary/reconciliation.ts';
import { readJson } from './value-forms.rules.ts';

/** Lists the paths at which two JSON texts differ. */
export function jsonDifferences(was: string, is: string, path: string): { path: string; kind: DifferenceKind }[] {
  const found: { path: string; kind: DifferenceKind }[] = [];
  compare(readJson(was), readJson(is), path, found);
  // Values that differ only in notation, such as 1.50 and 1.5, are reported too.
  return found.length > 0 ? found : [{ path, kind: 'changed' }];
}

function compare(was: unknown, is: unknown, path: string, found: { path: string; kind: DifferenceKind }[]): void {
  if (was === undefined) found.push({ path, kind: 'extra' });
  else if (is === undefined) found.push({ path, kind: 'missing' });
  else if (isParent(was) && isParent(is) && Array.isArray(was) === Array.isArray(is)) {
    for (const member of new Set([...Object.keys(was), ...Object.keys(is)])) {
      compare(own(was, member), own(is, member), `${path}.${member}`, found);
    }
  } else if (JSON.stringify(was) !== JSON.stringify(is)) found.push({ path, kind: 'changed' });
}

function isParent(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value);
}

function own(value: Record<string, unknown>, member: string): unknown {
  return Object.hasOwn(value, member) ? value[member] : undefined;
}
