import { findBusinessContractViolations, findBusinessDetailViolations } from '../../businesses/business.rules.ts';
import { findFarAheadViolations, statementEnds } from '../../statements/statement.rules.ts';
import { type ClosedValueSets, findClosedValueSetViolations } from '../../suppliers/supplier-options.rules.ts';
import { isAbsent, listOf, type Loose, membersIn, textOf, dayOf } from '../../vocabulary/loose-payload.ts';
import { accountDescribingPaths } from '../../vocabulary/value-sets.ts';
import {
  type Path,
  violation,
  type Violation,
  violationSentences,
  type ViolationCode,
} from '../../vocabulary/violations.ts';
import { findAttachmentViolations } from './attachment.rules.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { findPaymentPreferenceViolations, checkPaymentSchedules } from './payment.rules.ts';
import { type KnownPhoneNumbers, readPhoneNumber } from './phone-number.rules.ts';
import { spreadsheetHint } from '../../vocabulary/spreadsheet-damage.ts';
import { tableOf } from '../../foundation/table.ts';
import { isPce, isPrm } from '../../vocabulary/wire-forms.ts';

/** Facts outside the payload that the rules need. */
export interface AccountFacts {
  /** The calendar day in France, `YYYY-MM-DD`. */
  today: string;
  /** Codes of the suppliers that the caller may import for. */
  supplierCodes: { has(code: string): boolean };
  /** The value sets that are closed for a supplier. */
  closedValueSets?: (supplierCode: string) => ClosedValueSets | undefined;
  /** Phone numbers that were parsed before. */
  phoneNumbers?: KnownPhoneNumbers | undefined;
}

/**
 * Cross-field rules of an account payload. They run on every payload, even a malformed one, and treat values of the wrong type as absent
 * (`loose-payload.ts`).
 */
export function findAccountViolations(account: AccountPayload, facts: AccountFacts): Violation[] {
  const payload = account as Loose;
  const kind = accountKind(payload);
  const supplier = textOf(payload['import_supplier']);
  return [
    ...findSupplierViolations(supplier, facts),
    ...findAccountSizeViolations(payload),
    ...findBusinessViolations(payload, kind),
    ...findCustomerViolations(payload, {
      today: facts.today,
      isDomestic: kind === 'domestic',
      phoneNumbers: facts.phoneNumbers,
    }),
    ...findSupplyAddressViolations(payload),
    ...findPaymentPreferenceViolations(payload),
    ...findAttachmentViolations(payload),
    ...findBilledAheadViolations(payload, facts.today),
    ...findClosedValueSetViolations(payload, facts.closedValueSets?.(supplier), accountDescribingPaths),
  ];
}

/** Validates the days up to which the account is billed, in its field and its statements. */
function findBilledAheadViolations(payload: Loose, today: string): Violation[] {
  const ends = [
    { day: payload['last_billed_to_date'], path: ['last_billed_to_date'] },
    ...statementEnds(listOf(payload['statements'])),
  ];
  return findFarAheadViolations(ends, today);
}

/** An account without a type is domestic. An unknown type skips the rules that depend on the type. */
function accountKind(payload: Loose): 'domestic' | 'business' | 'unknown' {
  const type = payload['account_type'];
  if (isAbsent(type)) return 'domestic';
  if (typeof type !== 'string') return 'unknown';
  if (type.startsWith('DOMESTIC')) return 'domestic';
  return type.startsWith('BUSINESS') || type === 'PORTFOLIO_LEAD' ? 'business' : 'unknown';
}

/** The supplier must be registered and within the caller's scope. The message does not list known codes. */
function findSupplierViolations(supplier: string, facts: AccountFacts): Violation[] {
  if (supplier === '' || facts.supplierCodes.has(supplier)) return [];
  return [violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.')];
}

/** A business account needs a contract or a SIRET; a domestic account must have neither business nor contracts. */
function findBusinessViolations(payload: Loose, kind: 'domestic' | 'business' | 'unknown'): Violation[] {
  const { business, account_contracts: contracts } = payload;
  const found: Violation[] = [];
  if (kind === 'domestic') {
    if (business !== undefined) found.push(violation('business_fields_provided_for_domestic_accounts', ['business']));
    if (listOf(contracts).length > 0) {
      found.push(violation('business_fields_provided_for_domestic_accounts', ['account_contracts']));
    }
    return found;
  }
  if (kind === 'business' && business === undefined) found.push(violation('required', ['business']));
  if (business !== null && typeof business === 'object' && !Array.isArray(business)) {
    const { siret, business_contract_identifier: label } = membersIn(business);
    if (isAbsent(siret) && isAbsent(label)) {
      found.push(violation('business_field_required', ['business', 'non_field_errors']));
    }
  }
  return found.concat(
    findBusinessDetailViolations(business, ['business']),
    findBusinessContractViolations(contracts, ['account_contracts']),
  );
}

/** Maximum number of rows of an account, which the database writes well within the time limit of a statement. */
const ACCOUNT_ROWS_MAX = 10_000;

/** The lists of an account payload and the lists within their items. Each item is a row. */
interface Lists {
  readonly [name: string]: Lists;
}

const LISTS = Object.entries<Lists>({
  customers: {},
  supply_addresses: { supply_points: { agreements: { addons: {} }, payment_schedules: {}, payment_instructions: {} } },
  statements: {},
  supplementary_ledgers: { energy_cheques: {} },
  notes: { document_paths: {} },
  account_campaigns: {},
  metadata: {},
  account_contracts: { versions: { terms: {} } },
  payment_preferences: {},
});

/** An account with too many rows would delay everything created beside it. The violation is reported on the longest list. */
function findAccountSizeViolations(payload: Loose): Violation[] {
  // Nearly every account is small, so rows are counted without allocating.
  let rows = businessDetailsIn(payload);
  for (const [name, lists] of LISTS) rows += rowsIn(payload[name], lists);
  return rows <= ACCOUNT_ROWS_MAX ? [] : [tooManyRows(payload, rows)];
}

function tooManyRows(payload: Loose, rows: number): Violation {
  const counts: [Path, number][] = LISTS.map(([name, lists]) => [[name], rowsIn(payload[name], lists)]);
  counts.push([['business', 'details'], businessDetailsIn(payload)]);
  const [path, most] = counts.reduce((one, other) => (other[1] > one[1] ? other : one));
  const detail = `The account has ${rows} items in all its lists together, ${most} of them in ${path.join('.')}; the limit is ${ACCOUNT_ROWS_MAX}. Omit data that can be attached after the account is created.`;
  return violation('too_many_rows', path, detail);
}

function businessDetailsIn(payload: Loose): number {
  return listOf(membersIn(payload['business'])['details']).length;
}

function rowsIn(value: unknown, lists: Lists): number {
  const items = listOf(value);
  let rows = items.length;
  for (const name in lists) {
    for (const item of items) rows += rowsIn(membersIn(item)[name], lists[name] as Lists);
  }
  return rows;
}

/** Facts outside the payload that the customer rules need. */
interface CustomerFacts {
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
function findCustomerViolations(payload: Loose, facts: CustomerFacts): Violation[] {
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

const ADDRESS_FIELDS = ['supply_address1', 'supply_address2', 'supply_address3', 'supply_address4', 'supply_postcode'];
const CONSENT_KEYS_BY_OTHER_TYPE = tableOf<readonly string[]>({
  ELECTRICITY: ['GAS_INDEXES'],
  GAS: ['ELEC_CURVES', 'ELEC_INDEXES'],
});

/** Validates supply addresses and points: no duplicates, and identifiers, dates and consents that fit the supply type. */
function findSupplyAddressViolations(payload: Loose): Violation[] {
  const found: Violation[] = [];
  const addresses = listOf(payload['supply_addresses']);
  if (payload['unknown_occupier'] === true && addresses.length > 1) {
    found.push(violation('occupier_account_with_multiple_supply_addresses', ['supply_addresses']));
  }
  const knownAddresses = new Set<string>();
  const knownPoints = new Set<string>();
  for (const [index, item] of addresses.entries()) {
    const address = membersIn(item);
    const path = ['supply_addresses', index];
    // Most accounts have a single address, which needs no comparison.
    const key = addresses.length === 1 ? '' : addressKey(address);
    if (key !== '' && knownAddresses.has(key)) {
      found.push(violation('duplicate_supply_addresses_found', [...path, 'non_field_errors']));
    }
    knownAddresses.add(key);
    for (const [position, point] of listOf(address['supply_points']).entries()) {
      checkPoint(membersIn(point), [...path, 'supply_points', position], knownPoints, found);
    }
  }
  return found;
}

/** Identifies an address by its lines, ignoring case and blanks. `''` without lines. */
function addressKey(address: Loose): string {
  const lines = ADDRESS_FIELDS.map((field) => textOf(address[field]).toLowerCase().replace(/\s+/g, ' '));
  return lines.some((line) => line !== '') ? lines.join('\n') : '';
}

function checkPoint(point: Loose, path: Path, knownPoints: Set<string>, found: Violation[]): void {
  const identifier = textOf(point['identifier']);
  const supplyType = textOf(point['supply_type']);
  const formFault = identifier === '' ? undefined : identifierFault(identifier, supplyType);
  if (formFault !== undefined) {
    found.push(
      violation(formFault, [...path, 'identifier'], violationSentences[formFault] + spreadsheetHint(identifier, 14)),
    );
  } else if (identifier !== '' && knownPoints.has(identifier)) {
    found.push(violation('duplicate_meter_points_on_different_supply_addresses_provided', [...path, 'identifier']));
  }
  knownPoints.add(identifier);
  checkConsents(membersIn(point['consent_data']), supplyType, path, found);
  checkAgreements(point['agreements'], path, found);
  checkPaymentSchedules(point['payment_schedules'], path, found);
}

/** The supply type determines the form of the identifier. */
function identifierFault(identifier: string, supplyType: string): ViolationCode | undefined {
  if (supplyType === 'ELECTRICITY' && !isPrm(identifier)) return 'invalid_prm';
  return supplyType === 'GAS' && !isPce(identifier) ? 'invalid_pce' : undefined;
}

/** Reports consents that belong to the other supply type. */
function checkConsents(consents: Loose, supplyType: string, path: Path, found: Violation[]): void {
  for (const key of CONSENT_KEYS_BY_OTHER_TYPE.get(supplyType) ?? []) {
    if (consents[key] === undefined) continue;
    found.push(
      violation('invalid', [...path, 'consent_data', key], `A point of type ${supplyType} has no consent ${key}.`),
    );
  }
}

/** End date of an open-ended agreement; later than every date. */
const OPEN_END = '9999-12-31';

interface Period {
  index: number;
  from: string;
  /** Exclusive. */
  to: string;
}

/**
 * Validates the agreements of a supply point: each ends after it begins, and none overlap. Gaps are accepted.
 * @param pointPath path of the supply point
 */
function checkAgreements(agreements: unknown, pointPath: Path, found: Violation[]): void {
  const periods: Period[] = [];
  for (const [index, item] of listOf(agreements).entries()) {
    const agreement = membersIn(item);
    const from = dayOf(agreement['effective_from']);
    const to = isAbsent(agreement['effective_to']) ? OPEN_END : dayOf(agreement['effective_to']);
    if (from === '' || to === '') continue;
    if (from > to) {
      found.push(violation('start_date_later_than_end_date', [...pointPath, 'agreements', index, 'effective_to']));
    } else if (from === to) {
      found.push(violation('start_date_same_as_end_date', [...pointPath, 'agreements', index, 'effective_to']));
    } else periods.push({ index, from, to });
  }
  checkOverlaps(periods, pointPath, found);
}

/** Compares each period, in order of start date, with the latest end so far. */
function checkOverlaps(periods: Period[], pointPath: Path, found: Violation[]): void {
  if (periods.length < 2) return;
  periods.sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : one.index - other.index));
  let coveredTo = '';
  for (const { index, from, to } of periods) {
    if (from < coveredTo) {
      found.push(
        violation('gaps_or_overlaps_in_agreement_dates', [...pointPath, 'agreements', index, 'effective_from']),
      );
    }
    if (to > coveredTo) coveredTo = to;
  }
}
