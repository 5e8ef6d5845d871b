import { expect, test } from '@jest/globals';
import { refusals } from '../../src/vocabulary/refusals.ts';
import { violationSentences } from '../../src/vocabulary/violations.ts';
import { filesUnder, namesInQuotes, textOf } from './project-files.ts';

// Everything that the OpenAPI document promises is tested and documented, code by code and status by status.

/**
 * Statuses of each operation, by its number (0 is the token API), that a test must provoke. More tests than these are
 * welcome.
 */
const STATUSES_BY_OPERATION: Record<number, readonly number[]> = {
  0: [200, 400, 401, 405, 406, 413, 415, 429],
  1: [200, 400, 401, 413, 415],
  2: [200, 201, 400, 401, 413],
  3: [201, 400, 401, 503],
  4: [201, 400, 401, 404, 413, 503],
  5: [201, 400, 401, 404, 413],
  6: [201, 400, 401, 404, 413],
  7: [201, 400, 401, 404, 413, 429, 500],
  8: [200, 401, 404],
  9: [200, 400, 401, 404],
  10: [200, 400, 401, 404],
  11: [200, 400, 401, 404],
  12: [201, 400, 401, 413],
  13: [201, 400, 401, 404, 413, 500],
  14: [200, 201, 400, 401, 404, 413],
  15: [200, 201, 400, 401, 404, 413, 415, 429],
  16: [200, 201, 400, 401, 404],
  17: [200, 400, 401],
};

const textOfTests = (...folders: string[]) =>
  filesUnder(...folders)
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/tidy/'))
    .map(textOf)
    .join('\n');

test('provokes every refusal code in a test', () => {
  const texts = textOfTests('test/endpoints', 'test/http', 'test/operations', 'test/scenarios', 'test/rules');
  const missing = Object.keys(refusals).filter((code) => !namesInQuotes(texts, code));
  expect(
    missing.map((code) => `${code}: write a test of the endpoint that returns it, or remove it from the catalogue`),
  ).toEqual([]);
});

test('provokes every violation code in a test', () => {
  const texts = textOfTests('test');
  const missing = Object.keys(violationSentences).filter((code) => !namesInQuotes(texts, code));
  expect(
    missing.map(
      (code) => `${code}: add a row to the table of the rule that raises it, or remove it from the vocabulary`,
    ),
  ).toEqual([]);
});

test('lists the statuses of every served operation here', () => {
  const served = [...textOf('src/processes/routes.ts').matchAll(/\/\*\s*(\d+)\s*\*\//g)].map(([, row]) => Number(row));
  const listed = Object.keys(STATUSES_BY_OPERATION)
    .map(Number)
    .filter((row) => row > 0);
  expect(listed).toEqual([...new Set(served)].sort((one, other) => one - other));
});

test.each(Object.entries(STATUSES_BY_OPERATION))(
  'operation %s has one folder whose test files name each of its statuses',
  (row, statuses) => {
    const prefix = `test/endpoints/${row.padStart(2, '0')}-`;
    const files = filesUnder('test/endpoints').filter((path) => path.startsWith(prefix));
    expect(new Set(files.map((path) => path.split('/')[2])).size).toBe(1);
    const tested = new Set(files.flatMap((path) => /\/([\d-]+)[^/]*$/.exec(path)?.[1]?.split('-')));
    expect(
      statuses.filter((status) => !tested.has(String(status))).map((status) => `${prefix}*: add ${status}.test.ts`),
    ).toEqual([]);
  },
);

test('names the files of an endpoint by the statuses that they provoke', () => {
  const wrongNames = filesUnder('test/endpoints').filter(
    (path) => !/^test\/endpoints\/\d{2}-[a-z0-9-]+\/\d{3}(?:-\d{3})*(?:-[a-z][a-z0-9-]*)?\.test\.ts$/.test(path),
  );
  expect(
    wrongNames.map(
      (path) => `${path}: name it <nn-name>/<status>[-<status>].test.ts; move shared code to test/support`,
    ),
  ).toEqual([]);
});
