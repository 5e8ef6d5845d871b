import { placesIn, type Place } from './html-places.rules.ts';

/** Markup that is safe to send; only `html` and `trustedMarkup` create it. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A value in a hole of a template; false, null and undefined are empty. */
export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

/** By the strings of a template, which are the same object in every call. */
const places = new WeakMap<TemplateStringsArray, Place[]>();

/**
 * Writes markup. Values are escaped unless they are `Html`; lists are joined. A hole may be in text or in a quoted attribute value. An
 * address (`href`, `action` ...) that is neither a path of this site nor `http(s):` becomes `#`.
 * @throws Error for a template with a hole anywhere else
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let known = places.get(strings);
  if (known === undefined) places.set(strings, (known = placesIn(strings)));
  let markup = strings[0] as string;
  for (const [index, part] of parts.entries()) {
    markup += written(part, known[index] as Place) + (strings[index + 1] as string);
  }
  return new Html(markup);
}

/**
 * Wraps markup without escaping.
 * @param reason why the markup cannot contain outside data, for readers of the code
 */
export function trustedMarkup(markup: string, reason: string): Html {
  if (reason === '') throw new Error('Say why this markup can be trusted.');
  return new Html(markup);
}

function written(part: Part, place: Place): string {
  if (part === false || part === null || part === undefined) return '';
  if (Array.isArray(part)) return part.map((one: Part) => written(one, place)).join('');
  if (part instanceof Html) {
    if (place !== 'text') throw new Error('Markup is not allowed in an attribute value.');
    return part.toString();
  }
  const text = String(part);
  return escaped(place === 'address' ? harmlessAddress(text) : text);
}

const ESCAPES: readonly (readonly [RegExp, string])[] = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/"/g, '&quot;'],
  [/'/g, '&#39;'],
];

function escaped(text: string): string {
  return ESCAPES.reduce((so, [character, entity]) => so.replace(character, entity), text);
}

/** A `javascript:` address would run code; one with two leading slashes leads to another host. */
function harmlessAddress(address: string): string {
  return /^(?:\/(?![/\\])|[?#]|https?:\/\/)/.test(address) ? address : '#';
}
