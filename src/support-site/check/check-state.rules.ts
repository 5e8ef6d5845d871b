import { mismatchKinds, type MismatchKind } from '../../vocabulary/mismatches.ts';

/** How far a check is that goes on with the next request. */
export interface CheckState {
  /** Null at the beginning. */
  cursor: string | null;
  lookedAt: number;
  found: Partial<Record<MismatchKind, number>>;
  /** Those of what was found that a mend would mend, or has mended. */
  mended: Partial<Record<MismatchKind, number>>;
  /** What is to be mended; empty for a check. */
  kinds: MismatchKind[];
}

/** A check that has not begun. */
export function newCheck(kinds: MismatchKind[] = []): CheckState {
  return { cursor: null, lookedAt: 0, found: {}, mended: {}, kinds };
}

/** The kinds that a form has named; what is none is left out. */
export function kindsIn(names: readonly string[]): MismatchKind[] {
  return names.filter((name): name is MismatchKind => Object.hasOwn(mismatchKinds, name));
}

/** Counts one more of a kind. */
export function addOne(counts: Partial<Record<MismatchKind, number>>, kind: MismatchKind): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}
