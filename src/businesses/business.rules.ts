import { type ClosedValueSets, findClosedValueSetViolations } from '../suppliers/supplier-options.rules.ts';
import { type Loose, dayOf, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { spreadsheetHint } from '../vocabulary/spreadsheet-damage.ts';
import { businessContractDescribingPaths, businessDescribingPaths } from '../vocabulary/value-sets.ts';
import { type Path, type Violation, violation, violationSentences } from '../vocabulary/violations.ts';
import type { CreateBusinessContractsRequest, CreateBusinessRequest } from './business.schema.ts';

const LA_POSTE_SIREN = '356000000';
const LA_POSTE_HEAD_OFFICE = '35600000000048';
const SIREN_LENGTH = 9;

/** Normalizes a SIRET: removes blanks and dots between its groups. */
export function normalSiret(text: string): string {
  return text.replace(/[\s.]/g, '');
}

/**
 * Whether a SIRET is valid: 14 digits with valid Luhn sums of all and of the first nine (the SIREN). For the branches of La Poste
 * the sum of the digits is a multiple of five instead.
 */
export function isSiret(text: string): boolean {
  const siret = normalSiret(text);
  if (!/^[0-9]{14}$/.test(siret) || luhnSum(siret.slice(0, SIREN_LENGTH)) % 10 !== 0) return false;
  // Zeros pass the check digits, but are not a SIREN.
  if (/^0{9}/.test(siret)) return false;
  if (siret.startsWith(LA_POSTE_SIREN) && siret !== LA_POSTE_HEAD_OFFICE) return digitSum(siret) % 5 === 0;
  return luhnSum(siret) % 10 === 0;
}

/** The Luhn sum: from the right, every second digit counts double, minus nine if that has two digits. */
function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum;
}

function digitSum(digits: string): number {
  let sum = 0;
  for (const digit of digits) sum += Number(digit);
  return sum;
}

/**
 * Validates `siret` and `details` of a business: a valid SIRET, unique keys, and a SIREN that matches the SIRET.
 * @param business the object as sent, of any type
 * @param path of the business in the payload
 */
export function findBusinessDetailViolations(business: unknown, path: Path): Violation[] {
  const found: Violation[] = [];
  const { siret: sentSiret, details } = membersIn(business);
  const siret = textOf(sentSiret);
  const hasGoodSiret = siret !== '' && isSiret(siret);
  if (siret !== '' && !hasGoodSiret) {
    const detail = violationSentences.invalid_siret + spreadsheetHint(siret.replace(/\s/g, ''), 14);
    found.push(violation('invalid_siret', [...path, 'siret'], detail));
  }
  const keys = new Set<string>();
  for (const [index, item] of listOf(details).entries()) {
    const key = textOf(membersIn(item)['key']);
    const value = normalSiret(textOf(membersIn(item)['value']));
    if (key !== '' && keys.has(key)) {
      found.push(violation('children_with_duplicate_values', [...path, 'details', index, 'key']));
    }
    keys.add(key);
    const isSiren = key.toLowerCase() === 'siren' && value !== '';
    if (isSiren && hasGoodSiret && value !== normalSiret(siret).slice(0, SIREN_LENGTH)) {
      found.push(violation('siren_mismatch', [...path, 'details', index, 'value']));
    }
  }
  return found;
}

/**
 * Validates the contracts of a payload: unique identifiers, and the versions of each contract.
 * @param contracts the list as sent, of any type
 * @param path of the list in the payload
 */
export function findBusinessContractViolations(contracts: unknown, path: Path): Violation[] {
  const found: Violation[] = [];
  const identifiers = new Set<string>();
  for (const [index, item] of listOf(contracts).entries()) {
    const contract = membersIn(item);
    const identifier = textOf(contract['identifier']);
    if (identifier !== '' && identifiers.has(identifier)) {
      found.push(violation('duplicate_contract_identifiers', [...path, index, 'identifier']));
    }
    identifiers.add(identifier);
    checkVersions(
      dayOf(contract['valid_from_date']),
      listOf(contract['versions']),
      [...path, index, 'versions'],
      found,
    );
  }
  return found;
}

/** The earliest version must apply from the first day of the contract, and no two versions from the same day. They may be in any order. */
function checkVersions(validFrom: string, versions: readonly unknown[], path: Path, found: Violation[]): void {
  const days = new Set<string>();
  let earliest = '';
  let areAllKnown = true;
  for (const [index, version] of versions.entries()) {
    const applicableAt = dayOf(membersIn(version)['applicable_at_date']);
    if (applicableAt === '') {
      areAllKnown = false;
      continue;
    }
    if (days.has(applicableAt)) {
      found.push(
        violation('unique', [...path, index, 'applicable_at_date'], 'Another version applies from the same day.'),
      );
    }
    days.add(applicableAt);
    if (earliest === '' || applicableAt < earliest) earliest = applicableAt;
  }
  // A version with an invalid day might be the earliest; the schema reports it.
  if (areAllKnown && earliest !== '' && validFrom !== '' && earliest !== validFrom) {
    found.push(violation('contract_versions_does_not_include_current', path));
  }
}

/** Facts besides the payload that the rules need. */
export interface BusinessFacts {
  /** The codes of the suppliers that this client may import for. */
  supplierCodes: { has(code: string): boolean };
  /** The describing sets that are closed for the supplier. */
  closedValueSets?: ClosedValueSets | undefined;
}

/** Paths of the contracts in the requests of operations 12 and 13. */
export const CONTRACTS_OF_BUSINESS: Path = ['business', 'business_contracts'];
export const CONTRACTS_PATH: Path = ['business_contracts'];

/** The cross-field rules of operation 12; the supplier must be registered and in the client's scope. */
export function findBusinessViolations(request: CreateBusinessRequest, facts: BusinessFacts): Violation[] {
  const payload = request as Loose;
  const supplier = textOf(payload['import_supplier_code']);
  const business = membersIn(payload['business']);
  return [
    ...(supplier === '' || facts.supplierCodes.has(supplier)
      ? []
      : [violation('invalid_choice', ['import_supplier_code'], 'Your API key has no import supplier with this code.')]),
    ...findBusinessDetailViolations(business, ['business']),
    ...findBusinessContractViolations(business['business_contracts'], CONTRACTS_OF_BUSINESS),
    ...findClosedValueSetViolations(payload, facts.closedValueSets, businessDescribingPaths),
  ];
}

/** The cross-field rules of operation 13. A supplier that is unknown or out of scope has no businesses, so the route responds 404. */
export function findAddedContractViolations(
  request: CreateBusinessContractsRequest,
  facts: Pick<BusinessFacts, 'closedValueSets'>,
): Violation[] {
  const payload = request as Loose;
  return [
    ...findBusinessContractViolations(listOf(payload['business_contracts']), CONTRACTS_PATH),
    ...findClosedValueSetViolations(payload, facts.closedValueSets, businessContractDescribingPaths),
  ];
}

/** Returns a violation for each contract whose identifier another contract of the import supplier already has. */
export function duplicateIdentifierViolations(indexes: readonly number[], contracts: Path): Violation[] {
  return indexes.map((index) => violation('contract_with_identifier_exists', [...contracts, index, 'identifier']));
}

/** Differences between a stored and a resent business. */
export interface BusinessDifferences {
  /** Fields of `business` with another value. */
  fields: readonly string[];
  /** Indexes of sent contracts: `changed` are stored with other content, `unknown` are not stored with this business. */
  changed: readonly number[];
  unknown: readonly number[];
  /** Identifiers of contracts that were created with the business and are missing in the request. */
  missing: readonly string[];
}

/** Returns a violation for each difference between a resent business and the stored one. */
export function differenceViolations(differences: BusinessDifferences): Violation[] {
  const contracts = [
    ...differences.changed.map((index) => ({
      index,
      detail: 'The stored contract with this identifier is different.',
    })),
    ...differences.unknown.map((index) => ({
      index,
      detail: 'The stored business has no such contract. Add it with business-contracts/create.',
    })),
  ].sort((one, other) => one.index - other.index);
  return [
    ...differences.fields.map((field) => violation('differs_from_stored', ['business', field])),
    ...contracts.map(({ index, detail }) =>
      violation('differs_from_stored', [...CONTRACTS_OF_BUSINESS, index], detail),
    ),
    ...differences.missing.map((identifier) =>
      violation(
        'differs_from_stored',
        CONTRACTS_OF_BUSINESS,
        `The stored business also has the contract ${identifier}.`,
      ),
    ),
  ];
}
