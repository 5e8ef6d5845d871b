import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder, ROOT, textOf } from './project-files.ts';

const documents = filesUnder('docs').filter((path) => path.endsWith('.md'));

test('what a document names by its path, or leads to, is there', () => {
  const missing = documents.flatMap((document) => {
    const text = textOf(document);
    const named = [...text.matchAll(/`((?:src|test|docs|deploy|workflows|activities)\/[\w./-]+\.\w+)`/g)].map(
      ([, path]) => path!,
    );
    const linked = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, path]) =>
      join(dirname(document), path!),
    );
    return [...named, ...linked].filter((path) => !existsSync(join(ROOT, path))).map((path) => `${document}: ${path}`);
  });
  expect(documents.length).toBeGreaterThan(3);
  expect(missing).toEqual([]);
});

test('the page of the ASVS answers each item of levels 1 and 2 once, in the order of the standard', () => {
  // Items of both levels in each chapter of version 5.0.0.
  const inChapter = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
  const text = textOf('docs/running/asvs.md');
  const chapters = text.split(/^## V\d+ /m).slice(1);
  expect(chapters).toHaveLength(inChapter.length);
  const key = (item: string) =>
    item
      .split('.')
      .map((part) => part.padStart(2, '0'))
      .join('.');
  const items = [
    ...text.matchAll(
      /^\| ((?:\d+\.){2}\d+)(?: to ((?:\d+\.){2}\d+))? \| (held|partly|open|operator|does not apply) \|/gm,
    ),
  ];
  const ends = items.flatMap(([, from, to]) => [from!, ...(to === undefined ? [] : [to])]).map(key);
  expect(ends).toEqual([...new Set(ends)].toSorted((one, other) => one.localeCompare(other)));
  expect(text).toContain(`: ${inChapter.reduce((sum, count) => sum + count, 0)} of them`);
  // What is held is shown by a test.
  const unshown = text.split('\n').filter((line) => /\| held \|/.test(line) && !line.includes('`test/'));
  expect(unshown.filter((line) => !line.startsWith('| 1.4.1 to 1.4.3 '))).toEqual([]);
});
