import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { childEnvironment } from '../support/child-environment.ts';
import { programFile } from '../support/program-file.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A folder that cannot be made keeps a start that would go on from starting anything. */
const STARTS_NOTHING = { ...childEnvironment(), DATA_DIR: '/dev/null/none', TMPDIR: '/dev/null/none' };
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** Programs of our own that people start: by a script of npm, or by their path, as docs/running/processes.md says. */
const PROGRAMS = [
  ...Object.values(scripts).flatMap((script) => /^(?:exec )?node ((?:src|test)\S+)$/.exec(script)?.[1] ?? []),
  ...[
    'migrate',
    'api',
    'worker',
    'support-site',
    'api-with-worker',
    'simulators',
    'bundle-workflows',
    'bundle-programs',
  ].map((name) => `src/processes/${name}.ts`),
];

test('every script of npm that starts a program of ours is looked at', () => {
  expect(PROGRAMS.length).toBeGreaterThan(16);
});

test.each(PROGRAMS)('%s --help tells how it is called, and does nothing else', async (program) => {
  const ran = await runProgram(program, '--help');
  expect(ran).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Usage: (?:npm|node|gangway) .+\n\n?.+/),
  });
});

/** `npm test` passes its arguments on. */
test.each(PROGRAMS.filter((program) => !program.endsWith('run-tests.mjs')))(
  '%s refuses an argument that it does not know, and starts nothing',
  async (program) => {
    const ran = await runProgram(program, '--exti');
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringMatching(/--exti.*\n/) });
    expect(ran.status).not.toBe(0);
  },
);

test.each<[string, string[], string]>([
  [
    'src/processes/bundle-programs.ts',
    [],
    'An argument is missing. Usage: node src/processes/bundle-programs.ts <folder>',
  ],
  ['src/processes/list-packages.ts', ['one', 'two'], 'Unknown argument "two".'],
  ['test/bench/bench.ts', ['valdate'], 'There is no measurement "valdate".'],
  ['test/bench/bench.ts', ['compare', 'one'], 'Compare two files'],
  ['test/support/check-upgrade.ts', ['v0.0.0'], 'git knows no "v0.0.0" here.'],
  ['test/support-site/docs-pictures.ts', ['stuk'], 'There is no picture "stuk".'],
])('%s %j says in a sentence what is wrong', async (program, args, sentence) => {
  const ran = await runProgram(program, ...args);
  expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(sentence) });
});

function runProgram(program: string, ...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return runIn(STARTS_NOTHING, program, ...args);
}

function runIn(
  env: NodeJS.ProcessEnv,
  program: string,
  ...args: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, cwd: ROOT }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test.each([
  ['/dev/null/none', 'ENOTDIR'],
  // Of this one Node's own way to make folders above it never comes to an end.
  ['/proc/none', 'ENOENT'],
  [join(ROOT, 'package.json'), 'EEXIST'],
])('npm start names the setting where the data folder cannot be %s', async (folder, code) => {
  const ran = await runIn({ ...STARTS_NOTHING, DATA_DIR: folder }, 'src/processes/up.ts');
  expect(ran).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `The data folder ${folder} cannot be used (${code}). Set DATA_DIR to a folder that this user can create and write to.\n`,
  });
});

test('migrate says in one sentence that the database is away', async () => {
  const environment = { ...childEnvironment(), DATABASE_URL: 'postgresql://gangway:x@127.0.0.1:9/gangway' };
  const ran = spawnSync(process.execPath, [await programFile('migrate')], { env: environment, encoding: 'utf8' });
  expect(ran).toMatchObject({
    status: 1,
    stdout: '',
    stderr:
      'The database cannot be used (ECONNREFUSED). Check that Postgres is running and that DATABASE_URL is correct, then start this again.\n',
  });
});
