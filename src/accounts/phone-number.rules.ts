import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Normal forms of one customer's numbers; a member is missing where the number is. */
export interface NormalPhoneNumbers {
  mobile?: string;
  landline?: string;
}

/**
 * The E.164 forms of the customers' phone numbers, by position in the payload. What was sent is kept as it is; these
 * stand beside it in the table (conventions 2e).
 * @param account a valid account payload
 */
export function phoneNumbersOf(account: { customers?: readonly { mobile?: string | null; landline?: string | null }[] }): NormalPhoneNumbers[] {
  return (account.customers ?? []).map(({ mobile, landline }) => ({ ...normal('mobile', mobile), ...normal('landline', landline) }));
}

function normal(field: keyof NormalPhoneNumbers, sent: string | null | undefined): NormalPhoneNumbers {
  const number = sent ? parsePhoneNumberFromString(sent, 'FR') : undefined;
  return number ? { [field]: number.number } : {};
}
