import { instantOf, relativeDocumentPath } from '../../vocabulary/wire-forms.ts';

/** How values are formatted for a comparison. `read-stored.store.ts` formats stored values in the same way. */
export type ValueForm = 'text' | 'path' | 'siret' | 'instant' | 'decimal' | 'decimals' | 'boolean' | 'json';

/** Doubles can change numbers with this many digits or more. */
const LONG_NUMBER = /[0-9.]{16,}/;

/**
 * Parses a jsonb value; a number that a double could change keeps its text.
 * @param text without exponents, as Postgres writes numbers in a jsonb
 */
export function readJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && LONG_NUMBER.test(source) ? JSON.rawJSON(source) : value,
  );
}

/**
 * Formats an accepted value like the stored one.
 * @returns undefined if the value counts as absent
 */
export function acceptedValue(form: ValueForm, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (form === 'json') return JSON.stringify(value);
  const text = textOf(value);
  switch (form) {
    case 'text':
    case 'boolean':
      return text;
    case 'path':
      return relativeDocumentPath(text) || undefined;
    case 'siret':
      return text.replace(/[^0-9]/g, '') || undefined;
    case 'instant':
      return instant(text);
    case 'decimal':
      return plainDecimal(text);
    case 'decimals':
      return decimals((value as readonly unknown[]).map(textOf));
  }
}

/** Formats the text of a stored value, so that equal values have equal texts. */
export function storedValue(form: ValueForm, text: string | null): string | undefined {
  if (text === null) return undefined;
  if (form === 'json') return JSON.stringify(readJson(text));
  if (form === 'decimals') return decimals(text.slice(1, -1).split(','));
  return form === 'decimal' ? plainDecimal(text) : text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}

/** Most decimals: without superfluous zeros before the digits. */
const USUAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const PLAIN = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/;
const SMALL = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/;

/** An empty list counts as absent. */
function decimals(texts: readonly string[]): string | undefined {
  return texts.map(plainDecimal).join(',') || undefined;
}

/** Removes insignificant zeros and exponents: 61.250 becomes 61.25, and 1e-7, as a double is written, becomes 0.0000001. */
export function plainDecimal(text: string): string {
  if (USUAL.test(text)) return withoutLastZeros(text);
  const small = SMALL.exec(text);
  if (small !== null) {
    const [, sign = '', digit = '', rest = '', exponent = ''] = small;
    return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${rest}`;
  }
  const plain = PLAIN.exec(text);
  if (plain === null) return text;
  const [, sign = '', whole = '', places = ''] = plain;
  if (places !== '') return `${sign}${whole}.${places}`;
  return whole === '0' ? '0' : sign + whole;
}

const ZERO = 0x30;
const POINT = 0x2e;

/** Removes the insignificant zeros of a usual decimal. Reads characters, because a regular expression with groups is several times slower. */
function withoutLastZeros(text: string): string {
  if (!text.includes('.')) return text === '-0' ? '0' : text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  if (text.charCodeAt(end - 1) === POINT) end -= 1;
  const plain = text.slice(0, end);
  return plain === '-0' ? '0' : plain;
}

/** Shorter timestamps have at most six decimals. */
const LONG_INSTANT = 28;
const LONG_FRACTION = /^(.{19})\.(\d{7,})(.+)$/;

/** Formats a timestamp in UTC with microseconds, as the database stores it. Rounds half to even. */
function instant(text: string): string {
  const long = text.length < LONG_INSTANT ? null : LONG_FRACTION.exec(text);
  if (long === null) return instantOf(text) || text;
  const [, upToSeconds = '', fraction = '', zone = ''] = long;
  const exact = Number(`0.${fraction}`) * 1_000_000;
  const near = Math.round(exact);
  const micros = exact % 1 === 0.5 && near % 2 === 1 ? near - 1 : near;
  const second = new Date(Date.parse(upToSeconds + zone) + (micros === 1_000_000 ? 1_000 : 0));
  return `${second.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}
