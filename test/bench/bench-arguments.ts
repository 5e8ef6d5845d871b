import { readArguments } from '../../src/platform/read-arguments.ts';

/** What is measured unless something is named, one after the other on one platform. */
const BY_DEFAULT =
  'validate stage create create-connections attach populate jobs reconcile list transactions start'.split(' ');
/** What runs only when it is named, before all else and on platforms of its own. */
const BY_THEMSELVES = {
  hostile:
    'attacks beside a client, whose delay is bounded: fails where it is not (BENCH_ATTACK: those whose names contain it)',
  pages:
    'pages of the support site over a large database, which is filled first (BENCH_ACCOUNTS, BENCH_IDENTIFIERS, BENCH_FOLDER)',
  throttle: 'how much of a set speed is used (BENCH_SPEEDS=5,10,60,200)',
  costs:
    'what one operation costs each process, Postgres and Temporal; 20 minutes (BENCH_WORKS=validate,stage; BENCH_SCALE)',
  processes:
    'one, two and three API and worker processes, beside callers who are as many; 15 minutes (BENCH_PROCESSES=1,2,3,1; BENCH_WORKS=job)',
};

/** What is to be measured: two files that are to be compared, or what runs on the common platform and what by itself. */
export interface Wanted {
  compared?: [string, string];
  names: string[];
}

/** Reads the command line of `npm run bench`; answers `--help`, and refuses names that it does not know with status 2. */
export function readWanted(): Wanted {
  const given = readArguments({ usage: 'npm run bench [-- <name> ...]', help, words: { least: 0, most: Infinity } });
  if (given[0] === 'compare') {
    const [, one, other] = given;
    if (one === undefined || other === undefined) refuse('Two files are compared: npm run bench -- compare ONE OTHER');
    return { compared: [one, other], names: [] };
  }
  const unknown = given.find((name) => !BY_DEFAULT.includes(name) && !runsByItself(name));
  if (unknown !== undefined) refuse(`There is no measurement "${unknown}". \`npm run bench -- --help\` names them.`);
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
    'Prints ratios against the bare libraries and the hand-written floor, measured in one run, and keeps the figures in .bench.',
    `All of these, or those that are named:\n  ${BY_DEFAULT.join(' ')}`,
    'Only when they are named:',
    ...Object.entries(BY_THEMSELVES).map(([name, about]) => `  ${name.padEnd(10)} ${about}`),
    '  compare ONE OTHER   sets two files of .bench side by side',
    'Environment variables:',
    '  BENCH_SECONDS (2)       length of a round, in seconds',
    '  BENCH_ROUNDS (9)        how many rounds; fewer where one takes long',
    '  BENCH_POINTS (20000)    how many supply points are looked up',
    '  BENCH_LINES (20000)     how many accounts an import job has',
    '  BENCH_ACCOUNTS (20000)  how many accounts are reconciled',
  ].join('\n');
}
