import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { expectedMs } from './test-order.ts';
import ProgressReporter from './progress-reporter.ts';

const FILES = { '/project/test/long.test.ts': 3_000, '/project/test/short.test.ts': 1_000 };
const passed = (tests: number) => ({ numPassingTests: tests, numFailingTests: 0 });
let written: string[];
let reporter: ProgressReporter;

beforeEach(() => {
  written = [];
  expectedMs.clear();
  for (const [path, ms] of Object.entries(FILES)) expectedMs.set(path, ms);
});
afterEach(() => {
  reporter.onRunComplete();
});

function begin(isTTY: boolean): void {
  const stream = { isTTY, write: (text: string) => written.push(text) };
  reporter = new ProgressReporter({ rootDir: '/project' }, {}, {}, stream);
  reporter.onRunStart({ numTotalTestSuites: 2 });
}

test('a terminal has one line, which is rewritten and says what is left', () => {
  begin(true);
  reporter.onTestResult({ path: '/project/test/long.test.ts' }, passed(7));
  expect(written).toEqual(['\r\x1b[K1 of 2 files, 7 passed, 0 failed, 0:00, about 0:00 left']);
  reporter.onTestResult({ path: '/project/test/short.test.ts' }, passed(2));
  expect(written[1]).toBe('\r\x1b[K2 of 2 files, 9 passed, 0 failed, 0:00');
});

test('a log has no line for each file, and one at the end', () => {
  begin(false);
  reporter.onTestResult({ path: '/project/test/long.test.ts' }, passed(7));
  expect(written).toEqual([]);
  reporter.onRunComplete();
  expect(written).toEqual(['1 of 2 files, 7 passed, 0 failed, 0:00, about 0:00 left\n']);
});

test('a file that fails is told at once, and named again at the end', () => {
  begin(false);
  const failed = { numPassingTests: 1, numFailingTests: 2, failureMessage: 'expected one, received two\n' };
  reporter.onTestResult({ path: '/project/test/long.test.ts' }, failed);
  expect(written).toEqual(['FAILED test/long.test.ts\nexpected one, received two\n']);
  reporter.onRunComplete();
  expect(written.slice(1)).toEqual([
    '1 of 2 files, 1 passed, 2 failed, 0:00, about 0:00 left\n',
    'Files with failures:\n  test/long.test.ts\n',
  ]);
});

test('a file that could not run counts as one failure', () => {
  begin(true);
  reporter.onTestResult(
    { path: '/project/test/short.test.ts' },
    { ...passed(0), testExecError: new Error('no such module'), failureMessage: 'no such module' },
  );
  expect(written.at(-1)).toContain('1 of 2 files, 0 passed, 1 failed');
});
