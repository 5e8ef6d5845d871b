import { placesIn, type Place } from './html-places.rules.ts';

/** Markup that may be sent as it is: made by `html` or by `trustedMarkup`, and by nothing else. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** What may stand in a hole of a template; false, null and undefined are nothing. */
export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

/** By the strings of a template, which are the same object at every call. */
const places = new WeakMap<TemplateStringsArray, Place[]>();

/**
 * Writes markup. Everything that is put in is escaped, unless it was made here; lists are joined. A hole may stand in text or in a
 * quoted value of an attribute. An address (`href`, `action` ...) that is neither a path of ours nor `http(s):` becomes `#`.
 * @throws Error for a template with a hole anywhere else, whatever is put in
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
 * Takes markup as it is.
 * @param reason why nothing in it can come from outside; for whoever reads the code
 */
export function trustedMarkup(markup: string, reason: string): Html {
  if (reason === '') throw new Error('Say why this markup can be trusted.');
  return new Html(markup);
}

function written(part: Part, place: Place): string {
  if (part === false || part === null || part === undefined) return '';
  if (Array.isArray(part)) return part.map((one: Part) => written(one, place)).join('');
  if (part instanceof Html) {
    if (place !== 'text') throw new Error('Markup cannot stand in the value of an attribute.');
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

/** A script in an address (`javascript:`) runs when it is followed; one that begins with two slashes leads to another host. */
function harmlessAddress(address: string): string {
  return /^(?:\/(?![/\\])|[?#]|https?:\/\/)/.test(address) ? address : '#';
}
