import { listOf, membersIn, textOf, type Loose } from '../../vocabulary/loose-payload.ts';
import { tableOf } from '../../foundation/table.ts';
import { spreadsheetHint } from '../../vocabulary/spreadsheet-damage.ts';
import {
  violation,
  violationSentences,
  type Path,
  type Violation,
  type ViolationCode,
} from '../../vocabulary/violations.ts';
import { isPce, isPrm } from '../../vocabulary/wire-forms.ts';
import { checkAgreements } from './agreement.rules.ts';
import { checkPaymentSchedules } from './payment.rules.ts';

const ADDRESS_FIELDS = ['supply_address1', 'supply_address2', 'supply_address3', 'supply_address4', 'supply_postcode'];
const CONSENT_KEYS_BY_OTHER_TYPE = tableOf<readonly string[]>({
  ELECTRICITY: ['GAS_INDEXES'],
  GAS: ['ELEC_CURVES', 'ELEC_INDEXES'],
});

/** The supply addresses and points: each once, with the identifier, dates and consents that fit its supply type. */
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
    // Most accounts have one address, which is like no other.
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

/** One supply point. */
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

/** Which form fits is known only with the supply type. */
function identifierFault(identifier: string, supplyType: string): ViolationCode | undefined {
  if (supplyType === 'ELECTRICITY' && !isPrm(identifier)) return 'invalid_prm';
  return supplyType === 'GAS' && !isPce(identifier) ? 'invalid_pce' : undefined;
}

/** A consent that belongs to the other supply type. */
function checkConsents(consents: Loose, supplyType: string, path: Path, found: Violation[]): void {
  for (const key of CONSENT_KEYS_BY_OTHER_TYPE.get(supplyType) ?? []) {
    if (consents[key] === undefined) continue;
    found.push(
      violation('invalid', [...path, 'consent_data', key], `A point of type ${supplyType} has no consent ${key}.`),
    );
  }
}
