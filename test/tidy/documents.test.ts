import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fillTables, generatedTables, tablesIn, metricsTable } from '../../src/docs/generated-tables.ts';
import { settingsSchema } from '../../src/platform/settings.ts';
import { commentsOf, filesUnder, ROOT, rootFiles, textOf } from './project-files.ts';

const pages = filesUnder('docs').filter((path) => path.endsWith('.md'));
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...pages];
const product = () => [...filesUnder('src', 'workflows', 'activities'), 'temporal.config.ts'];
const isCode = (path: string) => /\.(?:ts|mjs|cjs|sh|sql)$/.test(path) || path === 'Dockerfile';
const everything = () => [...new Set([...product(), ...filesUnder('test', 'deploy', 'docs', '.ci'), ...rootFiles()])];

test('links only to existing files and headings', () => {
  const missing = documents.flatMap((document) =>
    [...textOf(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, path]) => join(dirname(document), path!))
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('names only existing files in documents and comments', () => {
  const known = everything();
  const isThere = (path: string) => known.some((file) => file === path || file.endsWith(`/${path}`));
  // A path with a folder, except generated files, files of packages and paths on a server.
  const named = /(?<![\w./@:$*{<>~-])((?:[\w.-]+\/)+[\w-]+(?:\.[\w-]+)*\.(?:md|ts|mjs|cjs|sql|sh))(?![\w{*])/g;
  const missing = [...documents, ...known.filter(isCode)].flatMap((path) =>
    [...(isCode(path) ? commentsOf(path) : textOf(path)).matchAll(named)]
      .map(([, name]) => name!)
      .filter((name) => !isThere(name) && !isThere(join(dirname(path), name)))
      .map((name) => `${path} names ${name}, which does not exist`),
  );
  expect(missing).toEqual([]);
});

test('cites no paragraph of a document that readers do not have', () => {
  // Written so that the pattern does not match itself.
  const cited =
    /\b(?:desig[n]|specificatio[n]|convention[s]|promis[e]) (?:[A-Z]?\d)|\b(?:desig[n]|specificatio[n]|convention[s]|field[s]|stac[k]|engin[e]|tempora[l]|promise[s]|name[s]|styl[e])\.md\b/i;
  const found = everything()
    .filter((path) => !path.startsWith('test/replay/histories/'))
    .flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => cited.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

test('lists every store with prepared queries in the decision, with the reason', () => {
  const decision = textOf('docs/decisions/0044-one-transaction-two-ways-to-ask.md');
  const named = [...decision.matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map(([, path]) => path!);
  const having = filesUnder('src').filter((path) => /\): PreparedQuery\b|: PreparedQuery(\[\])? = /.test(textOf(path)));
  expect(named.toSorted()).toEqual(having.toSorted());
});

test('keeps the README to one page, with an index of every page', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(121);
  expect(textOf('README.md')).toContain('](docs/README.md)');
  const index = textOf('docs/README.md');
  const isListed = (path: string) => index.includes(`](${path.slice('docs/'.length)})`);
  const listed = pages.filter((path) => !path.startsWith('docs/decisions/') && path !== 'docs/README.md');
  expect(listed.filter((path) => !isListed(path))).toEqual([]);
});

test('keeps the tables that pages take from the code up to date: `npm run docs` writes them', async () => {
  const stale: string[] = [];
  for (const path of pages) if ((await fillTables(textOf(path))) !== textOf(path)) stale.push(path);
  expect(stale).toEqual([]);
  const shown = pages.flatMap((path) => tablesIn(textOf(path)));
  expect(shown.toSorted()).toEqual([...generatedTables.keys()].toSorted());
});

test('names only existing settings and metrics in documents', async () => {
  const settings = new Set(Object.keys(settingsSchema.properties));
  const ofCommandLine = new Set(['GANGWAY_PROFILE']);
  const metrics = await metricsTable();
  const text = documents.map(textOf).join('\n');
  expect([...settings].filter((name) => !text.includes(`\n| \`${name}\` |`))).toEqual([]);
  const names = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name!);
  const prefixes = new Set([...settings].map((name) => name.split('_', 1)[0]));
  const looksLikeSetting = (name: string) => prefixes.has(name.split('_', 1)[0]);
  const isKnown = (name: string) => ofCommandLine.has(name) || settings.has(name.replace(/_FILE$/, ''));
  expect(names.filter((name) => looksLikeSetting(name) && !isKnown(name))).toEqual([]);
  const measured =
    /`((?:http_server|import_(?:numbers|queue|accounts)|db_client|work_items|creation_slots|partner|nodejs|process)_\w+)`/g;
  expect(
    [...text.matchAll(measured)].map(([, name]) => name!).filter((name) => !metrics.includes(`\`${name}\``)),
  ).toEqual([]);
});

test('answers each item of levels 1 and 2 of the ASVS once, in the order of the standard', () => {
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
  // A requirement that is met names a test.
  const unshown = text.split('\n').filter((line) => /\| held \|/.test(line) && !line.includes('`test/'));
  expect(unshown.filter((line) => !line.startsWith('| 1.4.1 to 1.4.3 '))).toEqual([]);
});
