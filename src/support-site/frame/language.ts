import { AsyncLocalStorage } from 'node:async_hooks';
import { dateTimeText, dayText, weekdayText } from '../../platform/clock.ts';
import { evidenceInFrench, inFrench, spaced, type Language } from '../../vocabulary/french.ts';
import { frenchSite, type Sentence, type Words } from '../../vocabulary/french-site.ts';
import type { FrenchSentence, ValuesOf } from '../../vocabulary/sentence-forms.ts';
import type { Part } from './html.ts';

// The language belongs to the request. Cells and tables have no parameter that could carry it, so it is kept in the asynchronous context.
const languages = new AsyncLocalStorage<Language>();

/** Runs a function whose texts are in a language. */
export function inLanguage<Result>(language: Language, write: () => Result): Result {
  return languages.run(language, write);
}

/** Keeps the language of the request for a file, which is written when the request has been handled. */
export function inSameLanguage(content: AsyncIterable<string>): AsyncIterable<string> {
  const known = language();
  const parts = content[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => inLanguage(known, () => parts.next()),
      return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** The language of the texts that are being written. @throws outside of a request: a text that is written once would have one language for all requests */
export function language(): Language {
  const known = languages.getStore();
  if (known === undefined) throw new Error('A text has no language outside of a request: call t() in a function.');
  return known;
}

/** The values of a sentence. A count chooses between singular and plural, also where the sentence does not contain it. */
type Values<Text extends string, Value> = Readonly<Record<ValuesOf<Text>, Value> & { count?: Value }>;

const PLACE = /\{(\w+)\}/;

/**
 * Returns a sentence in the language of the request. The English sentence is the key.
 * @param values of the places of the sentence, such as `{count}`; numbers get separated thousands
 */
export function t(text: Words, values?: { count: number }): string;
export function t<const Text extends Sentence>(text: Text, values: Values<Text, string | number>): string;
export function t<const Text extends Sentence>(text: Text, values: Values<Text, Part>): Part;
export function t(text: string, values: Readonly<Record<string, Part>> = {}): Part {
  const sentence = language() === 'en' ? text : frenchOf(text, values['count']);
  if (!sentence.includes('{')) return sentence;
  const parts = sentence.split(PLACE).map((part, index): Part => {
    const value = index % 2 === 0 ? part : values[part];
    return typeof value === 'number' ? numberText(value) : value;
  });
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts;
}

const FRENCH = new Map<string, FrenchSentence>(
  Object.entries<FrenchSentence>(frenchSite).map(([english, french]) => [
    english,
    typeof french === 'string' ? spaced(french) : [spaced(french[0]), spaced(french[1])],
  ]),
);

function frenchOf(text: string, count: Part): string {
  const french = FRENCH.get(text) ?? text;
  if (typeof french === 'string') return french;
  return typeof count === 'number' && Math.abs(count) < 2 ? french[0] : french[1];
}

/** A text that other code has made, such as the message of a code, or a code that has French words. It stays as it is if its French is not known. */
export function translated(text: string): string {
  if (language() === 'en') return text;
  const french = FRENCH.get(text);
  if (french !== undefined) return typeof french === 'string' ? french : french[1];
  return inFrench(text) ?? evidenceInFrench(text) ?? text;
}

/** The evidence of a gate. Its sentences come before those of messages, of which some would match it too. */
export function translatedEvidence(evidence: string): string {
  return language() === 'en' ? evidence : (evidenceInFrench(evidence) ?? evidence);
}

const NUMBERS = { en: new Intl.NumberFormat('en-GB'), fr: new Intl.NumberFormat('fr-FR') };

/** A number with separated thousands. */
export const numberText = (value: number): string => NUMBERS[language()].format(value);

/** A date and time in France, such as `28 Nov 2026, 14:03`. */
export const dateTime = (instant: Date): string => dateTimeText(instant, language());

/** A calendar day, such as `28 Nov 2026`. */
export const calendarDay = (day: string): string => dayText(day, language());

/** A time of the coming weeks, such as `Sat 12 Dec, 22:00`. */
export const weekday = (instant: Date): string => weekdayText(instant, language());
