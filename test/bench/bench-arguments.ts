import { readArguments } from '../../src/platform/read-arguments.ts';

/** Measured by default, one after the other on one platform. */
const BY_DEFAULT =
  'validate stage create create-connections attach populate jobs waves reconcile withdraw bulk-actions audit-verify list transactions start'.split(
    ' ',
  );
/** Measured only when named, before all others and each on a separate platform. */
const BY_THEMSELVES = {
  hostile:
    'attacks beside a client, whose latency is bounded: fails above the bound (BENCH_ATTACK: attacks whose names contain it)',
  manifest: 'totals and digests of a file of accounts, by `gangway manifest` (BENCH_ACCOUNTS=100000)',
  pages:
    'pages of the support site over a large database, which is filled first (BENCH_ACCOUNTS, BENCH_IDENTIFIERS, BENCH_FOLDER)',
  'big-tables':
    'rates, query plans and lists with many staged and created accounts beside an empty database (BENCH_STAGED=10000000; BENCH_ACCOUNTS=2000000; BENCH_FOLDER)',
  throttle: 'how much of a set speed lookups use (BENCH_SPEEDS=5,10,60,200)',
  costs:
    'what one operation costs each process, Postgres and Temporal; 20 minutes (BENCH_WORKS=validate,stage; BENCH_SCALE)',
  cluster:
    "one of each on Temporal's development server beside two of each on a cluster: Temporal on Postgres in four processes, nginx, PgBouncer; 15 minutes (needs nginx, PgBouncer 1.21 or later, Go for the first run; PGBOUNCER=path)",
  faults:
    'accounts staged and created while each process of the cluster is killed, suspended and restarted; fails if one is lost or duplicated; 15 minutes (BENCH_ACCOUNTS=50000; BENCH_FAULTS=36; needs what cluster needs)',
  switches:
    'switches a second, what one costs, and what open ones cost; 4 minutes (BENCH_SWITCHES=6000; BENCH_OPEN=1000000)',
  processes:
    'one, two and three API and worker processes with the same callers; 15 minutes (BENCH_PROCESSES=1,2,3,1; BENCH_WORKS=job)',
};

/** What to measure: two files to compare, or the measurements on the common platform and those on their own. */
export interface Wanted {
  compared?: [string, string];
  names: string[];
}

/** Reads the command line of `npm run bench`; answers `--help`, and exits with status 2 for unknown names. */
export function readWanted(): Wanted {
  const given = readArguments({ usage: 'npm run bench [-- <name> ...]', help, words: { least: 0, most: Infinity } });
  if (given[0] === 'compare') {
    const [, one, other] = given;
    if (one === undefined || other === undefined) refuse('Compare two files: npm run bench -- compare FIRST SECOND');
    return { compared: [one, other], names: [] };
  }
  const unknown = given.find((name) => !BY_DEFAULT.includes(name) && !runsByItself(name));
  if (unknown !== undefined) refuse(`There is no measurement "${unknown}". \`npm run bench -- --help\` lists them.`);
  return { names: given };
}

/** Whether it runs only when it is named. */
export function runsByItself(name: string): boolean {
  return Object.hasOwn(BY_THEMSELVES, name);
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function help(): string {
  return [
    'Prints ratios against the bare libraries and the hand-written floor, measured in the same run, and stores the figures in .bench.',
    `Measured by default:\n  ${BY_DEFAULT.join(' ')}`,
    'Measured only when named:',
    ...Object.entries(BY_THEMSELVES).map(([name, about]) => `  ${name.padEnd(10)} ${about}`),
    '  compare FIRST SECOND   compares two files of .bench',
    'Environment variables:',
    '  BENCH_SECONDS (2)       length of a round, in seconds',
    '  BENCH_ROUNDS (9)        number of rounds; fewer for slow measurements',
    '  BENCH_POINTS (20000)    how many supply points are looked up',
    '  BENCH_LINES (20000)     how many accounts an import job has',
    '  BENCH_MANIFEST          import jobs with a manifest beside the same ones without',
    '  BENCH_ACCOUNTS (20000)  how many accounts are reconciled or withdrawn',
    '  BENCH_ITEMS (20000)     how many items a bulk action has',
    '  BENCH_ENTRIES (1000000) how many audit entries are verified',
  ].join('\n');
}
