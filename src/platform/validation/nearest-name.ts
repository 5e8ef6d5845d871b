/**
 * Returns the known name that is most similar to a misspelled one.
 * @param sent limited in length by the caller
 * @param share less than one in `share` of the characters may differ
 */
export function nearestName(sent: string, known: Iterable<string>, share = 2): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const steps = distance(sent.toLowerCase(), name.toLowerCase());
    if (steps < least && steps < name.length / share) [best, least] = [name, steps];
  }
  return best;
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, row[to]! + 1, next[to - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
