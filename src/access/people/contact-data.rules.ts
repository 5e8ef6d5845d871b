/** Members by which people are contacted or identified, in every object that has them. */
const CONTACT_DATA = ['email', 'mobile', 'mobile_e164', 'landline', 'landline_e164', 'date_of_birth'];
/** Details of a business: keys of the supplier's own choice, whose values may name or reach people. */
const DETAILS = ['details', 'business_details'];
const VALUE_OF_DETAIL = 'value';

/** Replaces contact data that was not revealed. */
export const MASK = '•••';

/** The names that matter, as members. Within a text every quote has a backslash before it, so no text looks like one. */
const NAMED = `"(${[...CONTACT_DATA, ...DETAILS, VALUE_OF_DETAIL].join('|')})"\\s*:\\s*`;
/** A text of JSON, a bracket, or what separates values. */
const MARK = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;

/**
 * The same without contact data. The text is searched and never parsed: every number keeps its digits, and the view of an account
 * with thousands of addresses costs milliseconds.
 * @param json a value as the database writes it
 * @param path members that lead to the value from that of which it is a part
 */
export function withoutContactData(json: string, path: readonly string[] = []): string {
  if (isHidden(path)) return maskOf(json);
  // Everything, where the value itself is of the details of a business.
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

/** A member that is absent or empty needs no mask. */
function maskOf(json: string): string {
  return /^(?:null|"")\s*$/.test(json) ? json : `"${MASK}"`;
}

/** Where a value ends that begins at `begin`. */
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
