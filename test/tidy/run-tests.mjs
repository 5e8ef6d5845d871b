// The steps of `npm test`: format, types, lint, import rules and unused exports, with all suites beside them. The
// last line is "N passed, N failed"; a failed step counts as one. Arguments go to jest: `npm test -- test/rules`.
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CODE = ['src', 'clients', 'workflows', 'activities', 'test', 'temporal.config.ts'];
const STEPS = [
  { title: 'format', args: [packageFile('oxfmt', 'bin/oxfmt'), '--check'], remedy: '`npm run format` corrects it.' },
  {
    title: 'types',
    // With more checkers each repeats much of another one's work.
    args: [packageFile('typescript', 'bin/tsc'), '--noEmit', '--checkers', '1'],
    remedy: 'Fix the types above; `npx tsc --noEmit` repeats this step.',
  },
  {
    title: 'lint',
    args: [
      packageFile('oxlint', 'bin/oxlint'),
      '--type-aware',
      '--tsconfig',
      'tsconfig.json',
      '--deny-warnings',
      '--report-unused-disable-directives',
      ...CODE,
    ],
    remedy: 'Fix the lines above; the rules and their reasons are in .oxlintrc.json.',
  },
  {
    title: 'spelling and terms',
    args: [packageFile('cspell', 'bin.mjs'), 'lint', '--no-progress', '--no-summary', '--quiet'],
    remedy:
      'Write the suggested term; the terms are in CONTRIBUTING.md and cspell.config.yaml. A name that no dictionary has goes into cspell-words.txt.',
  },
  {
    title: 'import rules',
    args: [
      packageFile('dependency-cruiser', 'bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err-long',
      ...CODE,
    ],
    check: importsWereRead,
    remedy: 'The sentence below each import above says what to do instead; the rules are in .dependency-cruiser.cjs.',
  },
  {
    title: 'unused exports',
    args: [packageFile('knip', 'bin/knip.js'), '--no-progress'],
    remedy:
      'Delete what nobody uses, or only its `export`; what is started by its path is an entry in knip.json, and a package that no import names is named there too.',
  },
];

/** The Node of package.json; `npm test` may have been started by an older one. */
const own = join(ROOT, 'node_modules/.bin/node');
const node = existsSync(own) ? own : process.execPath;

const LINES_MAX = 400;

/** Failed suites that are repeated alone, since a busy machine can exceed a time limit of the service. More point to a real fault. */
const REPEATED_MAX = 3;

/** Priority of the steps, by nice: suites wait now and then, and leave processors to them. */
const STEP_PRIORITY = 15;

const children = new Set();
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

if (process.argv.includes('--help')) {
  process.stdout.write(
    'Usage: npm test [-- <path or pattern> ...]\n\nChecks format, types, lint, import rules and unused exports, and runs all suites beside them.\n' +
      'Arguments go to Jest: npm test -- test/rules. `npm run jest -- --help` lists the options of Jest.\n',
  );
  process.exit(0);
}

const { passed, failed } = await runAll();
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function runAll() {
  if (node === process.execPath && !process.features.typescript) {
    process.stdout.write(
      `Node ${process.version} does not run TypeScript, and \`npm ci\` installed no other Node on this machine. Install Node 24.\n`,
    );
    return { passed: 0, failed: 1 };
  }
  const steps = Promise.all(STEPS.map(isGood));
  const counts = await runSuites(process.argv.slice(2));
  const good = await steps;
  const failed = STEPS.filter((_step, index) => !good[index]);
  for (const { title } of failed) process.stdout.write(`The step "${title}" failed; its output is above.\n`);
  for (const path of longFiles()) process.stdout.write(`warning: ${path} has more than ${LINES_MAX} lines.\n`);
  return { ...counts, failed: counts.failed + failed.length };
}

/** A longer file usually has two responsibilities. A warning only, as splitting one does not help readers. */
function longFiles() {
  const files = globSync(['{src,workflows,activities,test}/**/*.ts', '*.ts'], { cwd: ROOT });
  return files.filter((path) => readFileSync(join(ROOT, path), 'utf8').split('\n').length > LINES_MAX);
}

/** Runs a step, and shows its output as soon as it has failed. */
async function isGood({ title, args, check, remedy }) {
  const started = performance.now();
  const { code, output } = await run(args, { isQuiet: true, priority: STEP_PRIORITY });
  const complaint = code === 0 ? check?.(output) : remedy;
  const words = complaint === undefined ? '' : `${output}\nThe step "${title}" failed. ${complaint}\n`;
  heading(title, started, complaint === undefined, words);
  return complaint === undefined;
}

async function runSuites(args) {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'gangway-results-'));
  const file = join(folder, 'results.json');
  const answersFile = join(folder, 'answers-seen.txt');
  process.env.ANSWERS_SEEN_FILE = answersFile;
  try {
    const jest = [packageFile('jest', 'bin/jest.js'), '-c', 'jest.config.ts', '--json', '--outputFile'];
    const { code } = await run([...jest, file, ...args]);
    let counts = countsIn(file, code);
    heading('suites', started, counts.failed === 0);
    const failedSuites = code === 0 ? [] : failedSuitesIn(file);
    if (args.length === 0 && failedSuites.length > 0 && failedSuites.length <= REPEATED_MAX) {
      const repeatStarted = performance.now();
      const repeated = join(folder, 'repeated.json');
      const paths = failedSuites.map(({ name }) => name);
      const { code: codeAlone } = await run([...jest, repeated, '--runInBand', '--runTestsByPath', ...paths]);
      counts = withRepeated(counts, failedSuites, countsIn(repeated, codeAlone));
      heading('failed suites, repeated alone', repeatStarted, counts.failed === 0);
      if (counts.failed === 0) process.stdout.write(unsteady(paths));
    }
    if (counts.complaint) process.stdout.write(`${counts.complaint}\n`);
    // Only the complete run knows which declared responses no test provokes.
    return args.length === 0 ? await addUnprovoked(counts, answersFile) : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The suites that failed. */
function failedSuitesIn(file) {
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')).testResults.filter(({ status }) => status === 'failed');
}

/** The counts of all suites, with those of the repeated suites in place of their first ones. */
function withRepeated({ passed, complaint }, failedSuites, alone) {
  const before = failedSuites.flatMap((suite) => suite.assertionResults).filter(({ status }) => status === 'passed');
  return {
    passed: passed - before.length + alone.passed,
    failed: alone.failed,
    complaint: alone.complaint ?? complaint,
  };
}

/** Suites that depend on the load of the machine are named, so that they get corrected. */
function unsteady(paths) {
  return paths
    .map(
      (path) =>
        `warning: ${relative(ROOT, path)} failed beside other suites and passed alone. Its first output is above.\n`,
    )
    .join('');
}

/** Declared responses of the OpenAPI document that no suite has provoked count as one failed test. */
async function addUnprovoked(counts, answersFile) {
  const started = performance.now();
  const { code, output } = await run(['test/tidy/unprovoked-answers.ts', answersFile], { isQuiet: true });
  heading('declared responses are provoked', started, code === 0);
  if (code !== 0) process.stdout.write(output);
  return { ...counts, passed: counts.passed + (code === 0 ? 1 : 0), failed: counts.failed + (code === 0 ? 0 : 1) };
}

/** Tests that passed and failed; a suite that could not run, and a run without tests, count as failed. */
function countsIn(file, code) {
  if (!existsSync(file)) {
    return { passed: 0, failed: 1, complaint: 'Jest ended without a result; its output is above.' };
  }
  const {
    numPassedTests: passed,
    numFailedTests,
    numRuntimeErrorTestSuites,
    numPendingTests,
    numTodoTests,
  } = JSON.parse(readFileSync(file, 'utf8'));
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  if (passed + failed === 0) {
    return { passed, failed: 1, complaint: 'No test ran; check the paths and names.' };
  }
  if (failed === 0 && code !== 0) {
    return { passed, failed: 1, complaint: 'Every test passed, but Jest failed; its output is above.' };
  }
  const left = numPendingTests + numTodoTests;
  return { passed, failed, complaint: left > 0 ? `${left} tests were skipped.` : undefined };
}

/** Without its parser dependency-cruiser sees no imports, and finds no violation. */
function importsWereRead(output) {
  const [, modules, imports] = /\((\d+) modules, (\d+) dependencies cruised\)/.exec(output) ?? [];
  return Number(imports) > Number(modules)
    ? undefined
    : 'Hardly any import was read: is @swc/core installed? `npm ci` installs it.';
}

/** In one piece with its output: other steps write meanwhile. */
function heading(title, started, isGood, words = '') {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${title}  ${seconds} s\n${words}`);
}

/** Runs a program on our Node. Its output is shown immediately, or returned if the step is quiet. */
function run(args, { isQuiet = false, priority = 0 } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(node, args, {
      cwd: ROOT,
      stdio: ['ignore', isQuiet ? 'pipe' : process.stdout, isQuiet ? 'pipe' : process.stdout],
    });
    children.add(child);
    // Before it starts threads and processes, which inherit it.
    if (priority > getPriority() && child.pid !== undefined) setPriority(child.pid, priority);
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve({ code: code ?? 1, output: signal ? `${output}ended by ${signal}\n` : output });
    });
  });
}

function packageFile(name, file) {
  return join(ROOT, 'node_modules', name, file);
}
