import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Normal forms of one customer's numbers; a member is missing where the number is. */
export interface NormalPhoneNumbers {
  mobile?: string;
  landline?: string;
}

const PHONE_LENGTH_MAX = 32;
/** More numbers than a household has; a payload with more of them has the rest read twice. */
const REMEMBERED_MAX = 32;

/**
 * What was read of the latest payload: a number is judged and, a moment later, stored in its normal form. Payloads whose
 * requests run at once only cost each other a second reading, because a number's form does not depend on who sent it.
 */
const remembered = new Map<string, string | undefined>();

/**
 * Reads a phone number: valid in France, or anywhere when it begins with +; any kind of line (conventions 2e).
 * @returns its E.164 form, or undefined when it is not valid
 */
export function readPhoneNumber(text: string): string | undefined {
  if (remembered.has(text)) return remembered.get(text);
  const number = text.length > PHONE_LENGTH_MAX ? undefined : parsePhoneNumberFromString(text, { defaultCountry: 'FR', extract: false });
  const normal = number?.isValid() ? number.number : undefined;
  if (remembered.size < REMEMBERED_MAX) remembered.set(text, normal);
  return normal;
}

/** Begins with another payload; the numbers of the one before are kept no longer. */
export function forgetPhoneNumbers(): void {
  remembered.clear();
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
