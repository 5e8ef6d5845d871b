import { tableOf } from '../foundation/table.ts';
import { frenchDetails, frenchWords, type SentencePair } from './french-details.ts';
import { frenchGates } from './french-gates.ts';
import {
  frenchLineFaultRemedies,
  frenchRefusalRemedies,
  frenchViolationRemedies,
  frenchWarningRemedies,
} from './french-remedies.ts';
import { frenchLineFaults, frenchRefusals, frenchViolations, frenchWarnings } from './french-sentences.ts';
import { lineFaultSentences } from './import-jobs.ts';
import { lineFaultRemedies, refusalRemedies, violationRemedies, warningRemedies } from './remedies.ts';
import { refusals } from './refusals.ts';
import { violationSentences } from './violations.ts';
import { warningSentences } from './warnings.ts';

// Translates messages when a response is written. The English text is the key: results and responses that are stored hold texts, not what they were made of,
// and validation must not pay for a translation that few requests need.

export type Language = 'en' | 'fr';

/** Values that are whole numbers. */
const NUMBERS = new Set(['n', 'm', 'k', 'count']);
const VALUE = /\{(\w+)\}/;
const ANY_START = '';

interface Template {
  pattern: RegExp;
  names: readonly string[];
  french: string;
}

/** Sentences of both languages, prepared for a lookup. */
interface Sentences {
  /** Those without values. */
  exact: ReadonlyMap<string, string>;
  /** By their first word; those that begin with a value under ANY_START. */
  templates: ReadonlyMap<string, readonly Template[]>;
}

/**
 * Translates a message of one or more sentences.
 * @returns undefined if a sentence is not known
 */
export function inFrench(text: string): string | undefined {
  return translated(messages(), text);
}

/**
 * Translates the evidence of a gate of a wave.
 * @returns undefined if a sentence is not known
 */
export function evidenceInFrench(text: string): string | undefined {
  return translated(evidence(), text);
}

function translated(sentences: Sentences, text: string): string | undefined {
  const known = sentences.exact.get(text);
  if (known !== undefined) return known;
  const [firstWord = ''] = text.split(' ', 1);
  for (const { pattern, names, french } of [
    ...(sentences.templates.get(firstWord) ?? []),
    ...(sentences.templates.get(ANY_START) ?? []),
  ]) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const rest = found[names.length + 1];
    const translatedRest = rest === undefined ? '' : translated(sentences, rest);
    if (translatedRest === undefined) continue;
    const values = new Map(names.map((name, index) => [name, wordOf(name, found[index + 1]!)]));
    const sentence = french.replaceAll(new RegExp(VALUE, 'g'), (_, name: string) => values.get(name) ?? '');
    return translatedRest === '' ? sentence : `${sentence} ${translatedRest}`;
  }
  return undefined;
}

/** The sentence of a code of errors, in French; undefined for an unknown code. */
export function frenchSentenceOf(code: string): string | undefined {
  return ERROR_SENTENCES.get(code);
}

/** What to do about a code, or about a warning, in French; undefined for an unknown code. */
export function frenchRemedyOf(code: string, isWarning: boolean): string | undefined {
  return (isWarning ? WARNING_REMEDIES : ERROR_REMEDIES).get(code);
}

function wordOf(name: string, value: string): string {
  if (name === 'evidence') return evidenceInFrench(value) ?? value;
  const words = frenchWords.get(name);
  return words === undefined ? value : spaced(words.get(value) ?? value);
}

/** Sets the no-break spaces of French punctuation. */
export function spaced(french: string): string {
  return french.replaceAll(/ (?=[:;?!»])/g, '\u00a0').replaceAll('« ', '«\u00a0');
}

function spacedTable(...sentences: Readonly<Record<string, string>>[]): ReadonlyMap<string, string> {
  return tableOf(
    Object.fromEntries(sentences.flatMap((one) => Object.entries(one).map(([code, text]) => [code, spaced(text)]))),
  );
}

const ERROR_SENTENCES = spacedTable(frenchRefusals, frenchViolations, frenchLineFaults);
const ERROR_REMEDIES = spacedTable(frenchRefusalRemedies, frenchViolationRemedies, frenchLineFaultRemedies);
const WARNING_REMEDIES = spacedTable(frenchWarningRemedies);

const refusalSentences = Object.fromEntries(Object.entries(refusals).map(([code, { sentence }]) => [code, sentence]));

/** The sentences of the catalogs, in both languages. */
function cataloguePairs(): SentencePair[] {
  const pairs = (english: Readonly<Record<string, string>>, french: Readonly<Record<string, string>>) =>
    Object.entries(english).map(([code, sentence]) => [sentence, french[code]!] as const);
  return [
    ...pairs(refusalSentences, frenchRefusals),
    ...pairs(violationSentences, frenchViolations),
    ...pairs(warningSentences, frenchWarnings),
    ...pairs(lineFaultSentences, frenchLineFaults),
    ...pairs(refusalRemedies, frenchRefusalRemedies),
    ...pairs(violationRemedies, frenchViolationRemedies),
    ...pairs(warningRemedies, frenchWarningRemedies),
    ...pairs(lineFaultRemedies, frenchLineFaultRemedies),
  ];
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

const messages = once(() => prepared([...cataloguePairs(), ...frenchDetails]));
/** The evidence also has sentences of messages. Separate, because many of its sentences begin with a value, which are compared with every text. */
const evidence = once(() => prepared([...frenchGates, ...frenchDetails]));

function prepared(pairs: readonly SentencePair[]): Sentences {
  const exact = pairs.flatMap(([english, french]) => (VALUE.test(english) ? [] : [[english, spaced(french)] as const]));
  const templates = new Map<string, Template[]>();
  for (const [english, french] of pairs) {
    const [firstWord = ''] = english.split(' ', 1);
    const start = VALUE.test(firstWord) ? ANY_START : firstWord;
    templates.set(start, [...(templates.get(start) ?? []), templateOf(english, french)]);
  }
  return { exact: new Map(exact), templates };
}

function templateOf(english: string, french: string): Template {
  const parts = english.split(VALUE);
  const names = parts.filter((_, index) => index % 2 === 1);
  const source = parts.map((part, index) => (index % 2 === 1 ? patternOf(part) : escaped(part))).join('');
  // Further sentences may follow.
  return { pattern: new RegExp(`^${source}(?: ([^]+))?$`), names, french: spaced(french) };
}

function patternOf(name: string): string {
  const words = frenchWords.get(name);
  if (words !== undefined) return `(${[...words.keys()].map((word) => escaped(word)).join('|')})`;
  // Evidence is the rest of its message, and may be several sentences.
  if (name === 'evidence') return '([^]+)';
  return NUMBERS.has(name) ? '(\\d+)' : '([^]+?)';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
