import { dayOf, isAbsent, listOf, type Loose, membersIn, textOf } from '../../vocabulary/loose-payload.ts';
import { tableOf } from '../../foundation/table.ts';
import { spreadsheetHint } from '../../vocabulary/spreadsheet-damage.ts';
import {
  type Path,
  violation,
  type Violation,
  type ViolationCode,
  violationSentences,
} from '../../vocabulary/violations.ts';
import { isPce, isPrm } from '../../vocabulary/wire-forms.ts';
import { checkPaymentSchedules } from './payment.rules.ts';

const ADDRESS_FIELDS = ['supply_address1', 'supply_address2', 'supply_address3', 'supply_address4', 'supply_postcode'];
const CONSENT_KEYS_BY_OTHER_TYPE = tableOf<readonly string[]>({
  ELECTRICITY: ['GAS_INDEXES'],
  GAS: ['ELEC_CURVES', 'ELEC_INDEXES'],
});

/** Validates supply addresses and points: no duplicates, and identifiers, dates and consents that fit the supply type. */
export function findSupplyAddressViolations(payload: Loose): Violation[] {
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
