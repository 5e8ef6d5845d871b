import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

/** Normal forms of one customer's numbers; a member is missing where the number is. */
export interface NormalPhoneNumbers {
  mobile?: string;
  landline?: string;
}

const PHONE_LENGTH_MAX = 32;
/** How nearly all numbers are sent: +33 or 0 and nine digits, with one blank, dot or hyphen between pairs or with none. */
const USUAL_FORM = /^(?:\+33|0)[ .-]?[1-9](?:[ .-]?\d\d){4}$/;
const SEPARATORS = /[ .-]/g;
/** Where the library's own table keeps the kinds of lines of a country, each with the pattern of its numbers (METADATA.md of the library). */
const KINDS_OF_LINES = 11;
const FRENCH_NUMBER = new RegExp(`^(?:${frenchPatterns().join('|')})$`);

/**
 * Reads a phone number: valid in France, or anywhere when it begins with +; any kind of line (conventions 2e). A number of
 * the usual form is held against the library's patterns straight away, in a thirtieth of the time that reading it takes; the
 * answer is the same.
 * @returns its E.164 form, or undefined when it is not valid
 */
export function readPhoneNumber(text: string): string | undefined {
  if (text.length > PHONE_LENGTH_MAX) return undefined;
  if (USUAL_FORM.test(text)) {
    const digits = text.replace(SEPARATORS, '').slice(-9);
    return FRENCH_NUMBER.test(digits) ? `+33${digits}` : undefined;
  }
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'FR', extract: false });
  return number?.isValid() ? number.number : undefined;
}

function frenchPatterns(): string[] {
  const kinds = (metadata as unknown as { countries: { FR: unknown[][] } }).countries.FR[KINDS_OF_LINES] as (readonly [string, ...unknown[]] | 0)[];
  return kinds.filter((kind) => kind !== 0).map(([pattern]) => pattern);
}

/**
 * The E.164 forms of the customers' phone numbers, by position in the payload. What was sent is kept as it is; these
 * stand beside it in the table.
 * @param account a valid account payload
 */
export function phoneNumbersOf(account: { customers?: readonly { mobile?: string | null; landline?: string | null }[] }): NormalPhoneNumbers[] {
  return (account.customers ?? []).map(({ mobile, landline }) => ({ ...normal('mobile', mobile), ...normal('landline', landline) }));
}

function normal(field: keyof NormalPhoneNumbers, sent: string | null | undefined): NormalPhoneNumbers {
  const number = sent ? readPhoneNumber(sent) : undefined;
  return number ? { [field]: number } : {};
}
