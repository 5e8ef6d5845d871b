/** Members that contact or identify people, in every object that has them. */
const CONTACT_DATA = ['email', 'mobile', 'mobile_e164', 'landline', 'landline_e164', 'date_of_birth'];
/** Business details: keys are chosen by the supplier, and values may name or contact people. */
const DETAILS = ['details', 'business_details'];
const VALUE_OF_DETAIL = 'value';

/** Replaces hidden contact data. */
export const MASK = '•••';

/** Matches the names of relevant members. Quotes within JSON strings are escaped, so no string value matches. */
const NAMED = `"(${[...CONTACT_DATA, ...DETAILS, VALUE_OF_DETAIL].join('|')})"\\s*:\\s*`;
/** A JSON string, a bracket or a separator. */
const MARK = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;

/**
 * Masks contact data. Searches the text instead of parsing it, which keeps the digits of every number and takes only milliseconds for an
 * account with thousands of addresses.
 * @param json a value as the database writes it
 * @param path members that lead from the containing object to the value
 */
export function withoutContactData(json: string, path: readonly string[] = []): string {
  if (isHidden(path)) return maskOf(json);
  // The whole value, if it is part of the business details.
  let detailsEnd = path.some(isDetails) ? json.length : 0;
  let shown = '';
  let from = 0;
  const named = new RegExp(NAMED, 'g');
  for (let found = named.exec(json); found !== null; found = named.exec(json)) {
    const [{ length }, name = ''] = found;
    const begin = found.index + length;
    if (isDetails(name)) {
      if (begin >= detailsEnd) detailsEnd = endOfValue(json, begin);
    } else if (name !== VALUE_OF_DETAIL || begin < detailsEnd) {
      const end = endOfValue(json, begin);
      shown += json.slice(from, begin) + maskOf(json.slice(begin, end));
      from = named.lastIndex = end;
    }
  }
  return shown + json.slice(from);
}

const isDetails = (member: string) => DETAILS.includes(member);

function isHidden(path: readonly string[]): boolean {
  const details = path.findIndex(isDetails);
  return path.some(
    (member, index) => CONTACT_DATA.includes(member) || (member === VALUE_OF_DETAIL && details >= 0 && index > details),
  );
}

/** Absent and empty values need no mask. */
function maskOf(json: string): string {
  return /^(?:null|"")\s*$/.test(json) ? json : `"${MASK}"`;
}

/** Returns the end of the value that starts at `begin`. */
function endOfValue(json: string, begin: number): number {
  let depth = 0;
  MARK.lastIndex = begin;
  for (let found = MARK.exec(json); found !== null; found = MARK.exec(json)) {
    const [mark] = found;
    if (depth === 0 && (mark === ',' || mark === '}' || mark === ']')) return found.index;
    if (mark === '{' || mark === '[') depth += 1;
    if (mark === '}' || mark === ']') depth -= 1;
    if (depth === 0) return MARK.lastIndex;
  }
  return json.length;
}
