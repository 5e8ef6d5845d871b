import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inFrench } from '../../src/vocabulary/french.ts';
import { frenchSiteLabels } from '../../src/vocabulary/french-site-terms.ts';
import { frenchSite } from '../../src/vocabulary/french-site.ts';
import type { FrenchSentence } from '../../src/vocabulary/sentence-forms.ts';
import { inLanguage, t, translated } from '../../src/support-site/frame/language.ts';
import { count, fromNow, moment } from '../../src/support-site/frame/cells.ts';
import { euros } from '../../src/support-site/frame/readable.ts';

const SRC = join(import.meta.dirname, '../../src');
const sentences = Object.entries<FrenchSentence>(frenchSite);
const placesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
const NO_BREAK = '\u00a0';

test('keeps the values of every sentence', () => {
  const differ = sentences.filter(([english, french]) =>
    [french].flat().some((text) => JSON.stringify(placesOf(text)) !== JSON.stringify(placesOf(english))),
  );
  expect(differ).toEqual([]);
});

test('writes French punctuation and typographic apostrophes', () => {
  const faults = /[a-zéèêà]'[a-zéèêà]|[^ {\u00a0]:(?= |$)|\.\.\.\w|…/i;
  expect(sentences.filter(([, french]) => [french].flat().some((text) => faults.test(text)))).toEqual([]);
});

test('has each sentence in one file only', () => {
  const files = globSync(join(SRC, 'vocabulary/french-site-*.ts'));
  const keys = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^ {2}(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|([A-Za-z]\w*)):/gm)].map(
      ([, single, double, bare]) => single?.replaceAll(String.raw`\'`, "'") ?? double ?? bare,
    ),
  );
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(keys.length).toBe(sentences.length);
});

test('has no sentence that the site does not use', () => {
  const code = globSync(join(SRC, '{support-site,vocabulary,waves,reconciliation}/**/*.ts'), {
    exclude: (name) => name.includes('french-'),
  })
    .map((file) => readFileSync(file, 'utf8').replaceAll(String.raw`\'`, "'"))
    .join('\n');
  const isUsed = (text: string) =>
    ["'", '"', '`'].some((quote) => code.includes(`${quote}${text}${quote}`)) || code.includes(`  ${text}: `);
  // Labels are derived from names of fields and actions.
  const written = sentences.map(([english]) => english).filter((english) => !Object.hasOwn(frenchSiteLabels, english));
  expect(written.filter((english) => !isUsed(english))).toEqual([]);
});

test('writes sentences, numbers, times and amounts in the language of the request', () => {
  const at = new Date('2026-11-28T13:03:00Z');
  const written = () => [
    t('Waves'),
    t('{count} accounts', { count: 1_527 }),
    t('{count} of {all} moved.', { count: 1, all: 2_000 }),
    String(moment(at)),
    String(fromNow(at, new Date(at.getTime() + 3 * 86_400_000))),
    count(1_234_567),
    euros('-1234.5'),
  ];
  expect(inLanguage('en', written)).toEqual([
    'Waves',
    '1,527 accounts',
    '1 of 2,000 moved.',
    expect.stringContaining('>28 Nov 2026, 14:03<'),
    expect.stringContaining('>3 d ago<'),
    '1,234,567',
    `-1,234.50${NO_BREAK}€`,
  ]);
  expect(inLanguage('fr', written)).toEqual([
    'Vagues',
    '1\u202f527 comptes',
    '1 déplacé sur 2\u202f000.',
    expect.stringContaining('>28 nov. 2026, 14:03<'),
    expect.stringContaining('>il y a 3 j<'),
    '1\u202f234\u202f567',
    `-1\u202f234,50${NO_BREAK}€`,
  ]);
});

test('writes no text outside of a request, where it would have the same language for everybody', () => {
  expect(() => t('Waves')).toThrow('A text has no language outside of a request');
});

test('translates messages of other code, and keeps unknown ones', () => {
  const message = 'This field is required.';
  expect(inLanguage('en', () => translated(message))).toBe(message);
  expect(
    inLanguage('fr', () => [translated(message), translated('Find'), translated('Nothing of this is known.')]),
  ).toEqual([inFrench(message), 'Rechercher', 'Nothing of this is known.']);
});
