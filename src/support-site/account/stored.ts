/** What is stored of an account, a business ... as text: every number keeps its digits. */
export interface Stored {
  readonly [member: string]: StoredValue;
}
type StoredValue = string | boolean | null | Stored | readonly StoredValue[];

/** A text of JSON, or a number outside of one. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const QUOTE = 34;

/** Reads what a store wrote as JSON. Numbers are quoted beforehand: a reviver, which is called for every value, takes twice as long. */
export function readStored(json: string): Stored {
  const quoted = json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${token}"`));
  return JSON.parse(quoted) as Stored;
}

/** A member as text; undefined where there is none. */
export function textOf(of: Stored | undefined, member: string): string | undefined {
  const value = of?.[member];
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The rows of a list; none where there is no list. */
export function rowsOf(of: Stored | undefined, member: string): Stored[] {
  const value = of?.[member];
  return Array.isArray(value) ? (value as Stored[]) : [];
}

/** What stands below a member, if it is no text. */
export function below(of: Stored | undefined, member: string): Stored | undefined {
  const value = of?.[member];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : undefined;
}

/** By which people are reached, and what tells who they are, wherever it stands. */
const CONTACT_DATA = new Set(['email', 'mobile', 'mobile_e164', 'landline', 'landline_e164', 'date_of_birth']);
/** Details of a business: keys of the supplier's own choice, whose values may name or reach people. */
const DETAILS = new Set(['details', 'business_details']);

/** What stands in the place of contact data that was not revealed. */
export const MASK = '•••';

/** A value without contact data, by the members that lead to it. */
export function maskedAt(path: readonly string[], value: StoredValue): StoredValue {
  const isHidden = path.some((member, index) => isContactData(member, path.slice(0, index).some(isDetails)));
  return isHidden && isGiven(value) ? MASK : maskedValue(value, path.some(isDetails));
}

/** The same without contact data, at every depth. */
export function masked(of: Stored): Stored {
  return maskedValue(of, false) as Stored;
}

/** @param isOfDetails the value stands somewhere in the details of a business */
function maskedValue(value: StoredValue, isOfDetails: boolean): StoredValue {
  if (Array.isArray(value)) return value.map((one: StoredValue) => maskedValue(one, isOfDetails));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Stored).map(([name, one]) => [
      name,
      isContactData(name, isOfDetails) && isGiven(one) ? MASK : maskedValue(one, isOfDetails || isDetails(name)),
    ]),
  );
}

const isDetails = (member: string) => DETAILS.has(member);
const isContactData = (member: string, isOfDetails: boolean) =>
  CONTACT_DATA.has(member) || (isOfDetails && member === 'value');
const isGiven = (value: StoredValue) => value !== null && value !== '';
