import { expect, test } from '@jest/globals';
import { findFolderCircles } from './folder-cycles.ts';
import { filesUnder, textOf } from './project-files.ts';

// Folders that need each other at run time are one unit under several names: none can be read, tested or moved alone.

const productCode = () =>
  new Map(
    ['temporal.config.ts', ...filesUnder('src', 'workflows', 'activities').filter((path) => path.endsWith('.ts'))].map(
      (path) => [path, textOf(path)],
    ),
  );

test.each([
  ['src, workflows and activities', 2],
  ['src/platform, src/account-import and every other folder that has folders', 3],
])('has no circular imports among folders of %s', (_where, depth) => {
  expect(findFolderCircles(productCode(), depth)).toEqual([]);
});

test('finds a circle over several folders, and lists its imports', () => {
  const files = new Map([
    ['src/a/one.ts', `import { two } from '../b/two.ts';\nimport { four } from '../d/four.ts';`],
    ['src/b/two.ts', `export * from '../c/three.ts';`],
    ['src/c/three.ts', `import {\n  type One,\n  one,\n} from '../a/one.ts';`],
    ['src/d/four.ts', ''],
  ]);
  expect(findFolderCircles(files, 2)).toEqual([
    'src/a -> src/b: src/a/one.ts imports src/b/two.ts',
    'src/b -> src/c: src/b/two.ts imports src/c/three.ts',
    'src/c -> src/a: src/c/three.ts imports src/a/one.ts',
  ]);
});

test.each([
  ['types alone', `import type { One } from '../a/one.ts';`],
  ['types alone, one by one', `import { type One, type Other } from '../a/one.ts';`],
  ['nothing', `// import { one } from '../a/one.ts';`],
])('%s makes no circle', (_what, text) => {
  const files = new Map([
    ['src/a/one.ts', `import { two } from '../b/two.ts';`],
    ['src/b/two.ts', text],
  ]);
  expect(findFolderCircles(files, 2)).toEqual([]);
});

test.each([`import '../a/one.ts';`, `await import('../a/one.ts');`, `import one from '../a/one.ts';`])(
  '%s makes one',
  (text) => {
    const files = new Map([
      ['src/a/one.ts', `import { two } from '../b/two.ts';`],
      ['src/b/two.ts', text],
    ]);
    expect(findFolderCircles(files, 2)).toHaveLength(2);
  },
);
