import { readPhoneNumber } from '../account-import/validate/phone-number.rules.ts';

/** What a text can be the number, the address or the name of. What it cannot be is left out. */
export interface SearchedFor {
  /** An external number of an account, or an identifier of a business, as it was written. */
  external: string;
  serviceAccountNumber?: string;
  serviceBusinessId?: number;
  /** Of a batch or an import job. */
  id?: string;
  supplyPoint?: string;
  email?: string;
  phone?: string;
  names: readonly SearchedName[];
}

/** Without a given name, `family` is how the family name begins; with one, it is the whole family name, and `given` how the given name begins. */
export interface SearchedName {
  family: string;
  given?: string;
}

/** Longest text that is looked for. */
const SEARCHED_LENGTH_MAX = 255;
const INTEGER_MAX = 2_147_483_647;

/** Reads what somebody typed who looks for something. @returns undefined for what can be the name of nothing */
export function readSearched(typed: string): SearchedFor | undefined {
  const text = typed.trim().replace(/\s+/g, ' ');
  if (text === '' || text.length > SEARCHED_LENGTH_MAX || text.includes('\0')) return undefined;
  const joined = text.replaceAll(' ', '').toUpperCase();
  const phone = readPhoneNumber(text);
  return {
    external: text,
    ...(/^A-[2-9A-Z]{9}$/.test(joined) ? { serviceAccountNumber: joined } : {}),
    ...(/^\d{1,10}$/.test(joined) && Number(joined) <= INTEGER_MAX ? { serviceBusinessId: Number(joined) } : {}),
    ...(/^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(joined) ? { id: joined.toLowerCase() } : {}),
    ...(/^[\dA-Z]{6,64}$/.test(joined) ? { supplyPoint: joined } : {}),
    ...(text.includes('@') ? { email: text } : {}),
    ...(phone === undefined ? {} : { phone }),
    names: namesIn(text),
  };
}

/** Tells whether a text is a number of ours or of a supplier, and not what a person is called or reached by: only that stands in addresses. */
export function isPlainNumber(typed: string): boolean {
  const text = typed.trim();
  return /^[^\s@]*\d[^\s@]*$/.test(text) && readPhoneNumber(text) === undefined;
}

function namesIn(text: string): SearchedName[] {
  if (text.length < 2 || /[\d@]/.test(text)) return [];
  const words = text.split(' ');
  const whole = { family: text };
  if (words.length === 1) return [whole];
  const [first, last] = [words[0]!, words.at(-1)!];
  return [
    whole,
    { given: words.slice(0, -1).join(' '), family: last },
    { given: first, family: words.slice(1).join(' ') },
    { given: last, family: words.slice(0, -1).join(' ') },
    { given: words.slice(1).join(' '), family: first },
  ];
}
