// The order of test files: those that mostly wait run beside those that compute, and of each kind the longest comes first. By length
// alone there were minutes in which all files under way waited, and an eighth of two processors was idle.
import { createRequire } from 'node:module';
import { costOf, type FileCost } from './file-costs.ts';

/** A test file as Jest orders them, as much as is used here. */
interface TestFile {
  path: string;
}

/** Postgres and Temporal work for the files as well: half as long again. */
const WITH_SERVERS = 1.5;
/** A file that keeps less of one processor busy mostly waits. */
const BUSY_SHARE = 0.3;
/** So much of two processors is to be busy before one that mostly waits is begun. */
const BUSY_WANTED = 1.6;

/** Milliseconds that each file of this run is expected to take, by its path; for the progress of the run. */
export const expectedMs = new Map<string, number>();

// Its types describe the CommonJS form alone.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: new (options: SequencerOptions) => object;
};

interface SequencerOptions {
  globalConfig: { maxWorkers: number };
}

export default class TestOrder extends Sequencer {
  #lanes: number;

  constructor(options: SequencerOptions) {
    super(options);
    this.#lanes = options.globalConfig.maxWorkers;
  }

  sort(tests: TestFile[]): TestFile[] {
    const costs = new Map(tests.map((test) => [test, costOf(test.path)]));
    for (const [{ path }, { seconds }] of costs) expectedMs.set(path, seconds * 1_000);
    return inOrder(costs, this.#lanes);
  }
}

/** A file in thought. */
interface Planned<File> {
  file: File;
  seconds: number;
  /** Part of one processor that it keeps busy. */
  busy: number;
}

/**
 * The order in which files are best begun. They run in thought: whenever one ends, the longest of the kind that is wanted at that moment
 * begins.
 * @param lanes how many run at once
 */
export function inOrder<File>(costs: ReadonlyMap<File, FileCost>, lanes: number): File[] {
  const planned = Array.from(costs, ([file, cost]) => plan(file, cost));
  planned.sort((one, other) => other.seconds - one.seconds);
  const waiting = planned.filter(({ busy }) => busy < BUSY_SHARE);
  const computing = planned.filter(({ busy }) => !(busy < BUSY_SHARE));
  const order: File[] = [];
  let underWay: { endsAt: number; busy: number }[] = [];
  let now = 0;
  while (order.length < planned.length) {
    const isBusy = underWay.reduce((sum, { busy }) => sum + busy, 0) > BUSY_WANTED;
    const next = (isBusy ? waiting.shift() : computing.shift()) ?? waiting.shift() ?? computing.shift();
    if (next === undefined) break;
    order.push(next.file);
    underWay.push({ endsAt: now + next.seconds, busy: next.busy });
    if (underWay.length < lanes) continue;
    now = Math.min(...underWay.map(({ endsAt }) => endsAt));
    underWay = underWay.filter(({ endsAt }) => endsAt > now);
  }
  return order;
}

function plan<File>(file: File, { seconds, processor }: FileCost): Planned<File> {
  return { file, seconds, busy: (processor * WITH_SERVERS) / seconds };
}
