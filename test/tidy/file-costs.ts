// What test files cost, for the order in which they run: test/tidy/file-costs.json has those that take longest.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Of a whole run, beside other files, in seconds; the processor time is that of its worker and of the processes that it started. */
export interface FileCost {
  seconds: number;
  processor: number;
}

const TESTS = join(import.meta.dirname, '..');
const FILE = join(import.meta.dirname, 'file-costs.json');
/** What takes less is not listed. */
const LISTED_SECONDS = 5;
const COST_OF_OTHERS: FileCost = { seconds: 2, processor: 1 };

let known: Map<string, FileCost> | undefined;

/** What a file took in the run that was written down; of one that was not there, what most take. */
export function costOf(path: string): FileCost {
  known ??= new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, FileCost>));
  return known.get(relative(TESTS, path)) ?? COST_OF_OTHERS;
}

/**
 * Writes down what the files of a whole run took: `KEEP_FILE_COSTS=1 npm test`, worth doing when many files came or became slow.
 * @param costs by path
 */
export function keepCosts(costs: ReadonlyMap<string, FileCost>): void {
  const listed = [...costs]
    .filter(([, { seconds }]) => seconds >= LISTED_SECONDS)
    .map(([path, cost]) => [relative(TESTS, path), cost] as const)
    .sort(([, one], [, other]) => other.seconds - one.seconds);
  const lines = listed.map(([path, cost]) => `  ${JSON.stringify(path)}: ${JSON.stringify(cost)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}
