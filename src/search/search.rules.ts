import { readPhoneNumber } from '../account-import/validate/phone-number.rules.ts';

/** The possible meanings of a search text. A member is absent if the text cannot have that meaning. */
export interface SearchedFor {
  /** External account number or business identifier, in the spellings of Unicode that senders use. */
  externals: readonly string[];
  serviceAccountNumber?: string;
  serviceBusinessId?: number;
  /** Id of a batch, an import job or a wave. */
  id?: string;
  supplyPoint?: string;
  email?: string;
  phone?: string;
  /** The beginning of the name of a job or wave. */
  name?: string;
  /** Words of a company name. */
  company?: string;
  names: readonly SearchedName[];
  namesAtPlaces: readonly NameAtPlace[];
}

/** Without a given name, `family` is a prefix of the family name; with one, the whole family name, and `given` a prefix of the given name. */
interface SearchedName {
  family: string;
  given?: string;
}

/** A whole family name, a prefix of the given name (empty for any), and words that are in the address or the given name. */
export interface NameAtPlace {
  family: string;
  given: string;
  words: readonly string[];
}

/** Longest search text. */
const SEARCHED_LENGTH_MAX = 255;
const INTEGER_MAX = 2_147_483_647;
/** Most words of a text that is split into a name and an address, and of the family name in it. */
const WORDS_WITH_PLACE_MAX = 8;
const FAMILY_WORDS_MAX = 3;
const TITLES = new Set(
  'm mm mr mme mmes mlle mrs ms miss mx dr pr me maitre monsieur messieurs madame mesdames mademoiselle docteur professeur'.split(
    ' ',
  ),
);
const BETWEEN_TITLES = new Set(['et', 'ou', 'and', 'or', '&']);

/** Legal forms, which most companies have and few people type. */
const LEGAL_FORMS = new Set('sarl sas sasu sa eurl eirl ei sci snc scop ets etablissements ste societe'.split(' '));

/** Reads a search text. @returns undefined if nothing can match it */
export function readSearched(typed: string): SearchedFor | undefined {
  const text = typed.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (text === '' || text.length > SEARCHED_LENGTH_MAX || text.includes('\0')) return undefined;
  const joined = text.replaceAll(' ', '').toUpperCase();
  const phone = readPhoneNumber(text);
  return {
    externals: [...new Set([text, text.normalize('NFD')])],
    ...(/^A-[2-9A-Z]{9}$/.test(joined) ? { serviceAccountNumber: joined } : {}),
    ...(/^\d{1,10}$/.test(joined) && Number(joined) <= INTEGER_MAX ? { serviceBusinessId: Number(joined) } : {}),
    ...(/^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(joined) ? { id: joined.toLowerCase() } : {}),
    ...(/^[\dA-Z]{6,64}$/.test(joined) ? { supplyPoint: joined } : {}),
    ...(text.includes('@') ? { email: text } : {}),
    ...(phone === undefined ? {} : { phone }),
    ...(/\p{L}/u.test(text) && text.length > 1 && !text.includes('@') ? { name: text } : {}),
    ...companyIn(text),
    ...namesIn(text),
  };
}

/** Checks that a text is a number of gangway or of a supplier. Other texts may be personal data, which must not appear in a URL. */
export function isPlainNumber(typed: string): boolean {
  const text = typed.trim();
  return /^[^\s@]*\d[^\s@]*$/.test(text) && readPhoneNumber(text) === undefined;
}

function companyIn(text: string): Pick<SearchedFor, 'company'> {
  if (!/\p{L}{2}/u.test(text) || text.includes('@')) return {};
  const words = text.split(/[\s,;/&]+/).filter((word) => word.length > 1);
  const telling = words.filter((word) => !LEGAL_FORMS.has(foldedWord(word)));
  return { company: (telling.length === 0 ? words : telling).join(' ') };
}

/** A word without accents, case and dots. */
function foldedWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[^\p{L}&]/gu, '')
    .toLowerCase();
}

function namesIn(text: string): Pick<SearchedFor, 'names' | 'namesAtPlaces'> {
  if (text.length < 2 || text.includes('@')) return { names: [], namesAtPlaces: [] };
  const sent = text
    .replace(/^(\p{L}+)\.(?=\p{L})/u, '$1. ')
    .replace(/\b(\d{2}) (\d{3})\b/, '$1$2')
    .split(/[\s,;/]+/)
    .filter((word) => word !== '');
  const words = withoutTitles(sent);
  const names = [words, ...(words.length === sent.length ? [] : [sent])].flatMap(splitName);
  return { names, namesAtPlaces: words.length > WORDS_WITH_PLACE_MAX ? [] : splitPlace(words) };
}

/** Removes titles at both ends. */
function withoutTitles(words: readonly string[]): readonly string[] {
  return withoutFirstTitles(withoutFirstTitles(words).toReversed()).toReversed();
}

function withoutFirstTitles(words: readonly string[]): readonly string[] {
  let first = 0;
  for (const word of words) {
    const folded = foldedWord(word);
    if (!TITLES.has(folded) && !(first > 0 && BETWEEN_TITLES.has(folded))) break;
    first += 1;
  }
  return first === words.length ? words : words.slice(first);
}

function splitName(words: readonly string[]): SearchedName[] {
  const whole = { family: words.join(' ') };
  if (!isName(whole.family)) return [];
  if (words.length === 1) return [whole];
  const [first, last] = [words[0]!, words.at(-1)!];
  const pairs = [
    { given: words.slice(0, -1).join(' '), family: last },
    { given: first, family: words.slice(1).join(' ') },
    { given: last, family: words.slice(0, -1).join(' ') },
    { given: words.slice(1).join(' '), family: first },
  ];
  return [whole, ...pairs.filter(({ given, family }) => isName(given) && isName(family))];
}

/** Names among other words, in any order: any adjacent words as the family name, and any other word as the given name. */
function splitPlace(words: readonly string[]): NameAtPlace[] {
  const found: NameAtPlace[] = [];
  for (let length = 1; length <= Math.min(FAMILY_WORDS_MAX, words.length - 1); length += 1) {
    for (let start = 0; start + length <= words.length; start += 1) {
      const family = words.slice(start, start + length).join(' ');
      if (!isName(family)) continue;
      const rest = words.toSpliced(start, length);
      found.push({ family, given: '', words: rest });
      if (rest.length === 1) continue;
      for (const [index, given] of rest.entries()) {
        if (isName(given)) found.push({ family, given, words: rest.toSpliced(index, 1) });
      }
    }
  }
  return found;
}

/** A text without letters would be folded to an empty text, which matches every name. */
function isName(text: string): boolean {
  return /\p{L}/u.test(text) && !/\d/.test(text);
}
