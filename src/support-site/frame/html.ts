/** Markup that is safe to send; only `html`, `element` and the loader of the style sheet create it. */
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

/** The position of a hole: in text, in an attribute value, or at the start of an address. */
type Place = 'text' | 'value' | 'address';

/** By the strings of a template, which are the same object in every call. */
const places = new WeakMap<TemplateStringsArray, Place[]>();

/**
 * Writes markup. Values are escaped unless they are `Html`; lists are joined. A hole may be in text or in a double-quoted attribute value.
 * An address (`href`, `action` ...) that is neither a path of this site nor `http(s):` nor a telephone number becomes `#`.
 * @throws Error for a template with a hole anywhere else
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let known = places.get(strings);
  if (known === undefined) {
    known = parts.map((_, index) => placeAfter(strings.slice(0, index + 1).join('x')));
    places.set(strings, known);
  }
  let markup = strings[0] as string;
  for (const [index, part] of parts.entries()) {
    markup += written(part, known[index] as Place) + (strings[index + 1] as string);
  }
  return new Html(markup);
}

const ATTRIBUTES = String.raw`(?:\s+[\w:-]+(?:="[^"]*")?)*`;
const TAGS = new RegExp(String.raw`<!doctype html>|</?[a-z][a-z0-9-]*${ATTRIBUTES}\s*/?>`, 'gi');
const OPEN_VALUE = new RegExp(String.raw`^[^<]*<[a-z][a-z0-9-]*${ATTRIBUTES}\s+([\w:-]+)="([^"]*)$`, 'i');
const IN_CODE = /<(script|style)\b[^>]*>(?:(?!<\/\1)[^])*$/i;
/** Attributes that hold an address. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'hx-get', 'hx-post']);

/** The position of a hole after some markup. Escaping does not help in names, unquoted values, code and comments. */
function placeAfter(markup: string): Place {
  const rest = markup.replaceAll(TAGS, '');
  if (!rest.includes('<') && !IN_CODE.test(markup)) return 'text';
  const [, name, begun] = OPEN_VALUE.exec(rest) ?? [];
  if (name === undefined || isCode(name)) {
    throw new Error(`A hole after "${markup.slice(-40)}" is neither in text nor in a quoted value.`);
  }
  return begun === '' ? placeIn(name) : 'value';
}

const isCode = (attribute: string) => /^(?:on.*|style)$/i.test(attribute);
const placeIn = (attribute: string) => (ADDRESSES.has(attribute.toLowerCase()) ? 'address' : 'value');

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element with attributes, of which true ones have no value, and false, null and undefined ones are omitted. */
export function element(
  name:
    | 'a'
    | 'button'
    | 'details'
    | 'form'
    | 'input'
    | 'main'
    | 'option'
    | 'section'
    | 'select'
    | 'td'
    | 'textarea'
    | 'th',
  attributes: Attributes,
  content?: Part,
): Html {
  const set = Object.entries(attributes).map(([attribute, value]) => {
    if (isCode(attribute)) throw new Error(`The attribute ${attribute} is code.`);
    if (value === false || value === null || value === undefined) return '';
    return value === true ? ` ${attribute}` : ` ${attribute}="${written(String(value), placeIn(attribute))}"`;
  });
  return new Html(`<${name}${set.join('')}>${name === 'input' ? '' : `${written(content, 'text')}</${name}>`}`);
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
  return /^(?:\/(?![/\\])|[?#]|https?:\/\/|tel:\+\d+$)/.test(address) ? address : '#';
}
