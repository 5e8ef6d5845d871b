import { dayOf, isAbsent, listOf, membersIn, textOf, type Loose } from '../../vocabulary/loose-payload.ts';
import { spreadsheetHint } from '../../vocabulary/spreadsheet-damage.ts';
import { violation, violationSentences, type Violation } from '../../vocabulary/violations.ts';
import { readPhoneNumber, type KnownPhoneNumbers } from './phone-number.rules.ts';

/** Facts outside the payload that the customer rules need. */
export interface CustomerFacts {
  /** The calendar day in France, `YYYY-MM-DD`. */
  today: string;
  isDomestic: boolean;
  /** Phone numbers that were parsed before. */
  phoneNumbers?: KnownPhoneNumbers | undefined;
}

/** Whether a phone number is valid in France, or anywhere if it begins with +. */
export function isPhoneNumber(text: string, known?: KnownPhoneNumbers): boolean {
  return readPhoneNumber(text, known) !== undefined;
}

/** Validates the presence of customers, and each customer's names, phone numbers and date of birth. */
export function findCustomerViolations(payload: Loose, facts: CustomerFacts): Violation[] {
  const found: Violation[] = [];
  checkPresence(payload, found);
  for (const [index, item] of listOf(payload['customers']).entries()) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) continue;
    checkCustomer(membersIn(item), index, facts, found);
  }
  return found;
}

/** An account needs customers, unless its occupier is unknown; then it must have none. */
function checkPresence(payload: Loose, found: Violation[]): void {
  const { customers, unknown_occupier: isUnknown } = payload;
  if (isUnknown === true) {
    if (listOf(customers).length > 0) found.push(violation('customer_with_unknown_occupier', ['customers']));
  } else if (customers === undefined) {
    found.push(violation('required', ['customers']));
  } else if (Array.isArray(customers) && customers.length === 0) {
    found.push(violation('empty', ['customers']));
  }
}

function checkCustomer(
  customer: Loose,
  index: number,
  { today, isDomestic, phoneNumbers }: CustomerFacts,
  found: Violation[],
): void {
  if (isDomestic && isAbsent(customer['given_name'])) {
    found.push(violation('customer_given_name_required', ['customers', index, 'given_name']));
  }
  if (isDomestic && isAbsent(customer['family_name'])) {
    found.push(violation('customer_family_name_required', ['customers', index, 'family_name']));
  }
  checkPhone(customer, index, 'mobile', phoneNumbers, found);
  checkPhone(customer, index, 'landline', phoneNumbers, found);
  if (dayOf(customer['date_of_birth']) > today) {
    found.push(violation('date_in_future', ['customers', index, 'date_of_birth']));
  }
}

function checkPhone(
  customer: Loose,
  index: number,
  field: 'mobile' | 'landline',
  known: KnownPhoneNumbers | undefined,
  found: Violation[],
): void {
  const number = textOf(customer[field]);
  if (number !== '' && !isPhoneNumber(number, known)) {
    const hint = spreadsheetHint(number, /^[1-9]/.test(number) ? 10 : undefined);
    found.push(
      violation('invalid_phone_number', ['customers', index, field], violationSentences.invalid_phone_number + hint),
    );
  }
}
