// The order of test files: the longest first, so that none is left alone at the end of the run.
import { createRequire } from 'node:module';

/** A test file as Jest orders them, as much as is used here. */
interface TestFile {
  path: string;
  /** Milliseconds of its last run on this machine. */
  duration?: number;
}

/** Seconds of a file of each folder, for a machine that has never run it; Jest keeps what each one took. */
const SECONDS_OF_FOLDER = new Map([
  ['cli', 10],
  ['hostile', 30],
  ['metrics', 30],
  ['scenarios', 30],
  ['support-site', 20],
  ['workflows', 10],
]);
const SECONDS_OF_OTHERS = 2;

/** Milliseconds that each file of this run is expected to take, by its path; for the progress of the run. */
export const expectedMs = new Map<string, number>();

// Its types describe the CommonJS form alone.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: new (options: object) => { sort(tests: TestFile[]): TestFile[] };
};

export default class LongestFirst extends Sequencer {
  override sort(tests: TestFile[]): TestFile[] {
    const sorted = super.sort([...tests]);
    const msOf = ({ path, duration }: TestFile) => duration ?? guessMs(path);
    for (const test of sorted) expectedMs.set(test.path, msOf(test));
    return sorted.sort((one, other) => msOf(other) - msOf(one));
  }
}

function guessMs(path: string): number {
  const folder = /\/test\/([^/]+)\//.exec(path)?.[1];
  return (SECONDS_OF_FOLDER.get(folder ?? '') ?? SECONDS_OF_OTHERS) * 1_000;
}
