import { findClosedValueSetViolations, type ClosedValueSets } from '../suppliers/closed-value-set.rules.ts';
import { listOf, membersIn, textOf, type Loose } from '../vocabulary/loose-payload.ts';
import { businessContractDescribingPlaces, businessDescribingPlaces } from '../vocabulary/value-sets.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';
import { findBusinessContractViolations } from './business-contract.rules.ts';
import { findBusinessDetailViolations } from './business-details.rules.ts';
import type { CreateBusinessContractsRequest, CreateBusinessRequest } from './create-business.schema.ts';

/** What the rules need to know besides the payload. */
export interface BusinessFacts {
  /** The codes of the suppliers that this client may import for. */
  supplierCodes: { has(code: string): boolean };
  /** The describing sets that are closed for the supplier. */
  closedValueSets?: ClosedValueSets | undefined;
}

/** Paths of the contracts in the requests of operations 12 and 13. */
export const CONTRACTS_OF_BUSINESS: Path = ['business', 'business_contracts'];
export const CONTRACTS_ALONE: Path = ['business_contracts'];

/** The cross-field rules of operation 12; the supplier must be registered and in the client's scope. */
export function findBusinessViolations(request: CreateBusinessRequest, facts: BusinessFacts): Violation[] {
  const payload = request as Loose;
  const supplier = textOf(payload['import_supplier_code']);
  const business = membersIn(payload['business']);
  return [
    ...(supplier === '' || facts.supplierCodes.has(supplier)
      ? []
      : [
          violation(
            'invalid_choice',
            ['import_supplier_code'],
            'There is no import supplier of this code for your key.',
          ),
        ]),
    ...findBusinessDetailViolations(business, ['business']),
    ...findBusinessContractViolations(business['business_contracts'], CONTRACTS_OF_BUSINESS),
    ...findClosedValueSetViolations(payload, facts.closedValueSets, businessDescribingPlaces),
  ];
}

/** The cross-field rules of operation 13. A supplier that is unknown or out of scope has no businesses: that is a 404. */
export function findAddedContractViolations(
  request: CreateBusinessContractsRequest,
  facts: Pick<BusinessFacts, 'closedValueSets'>,
): Violation[] {
  const payload = request as Loose;
  return [
    ...findBusinessContractViolations(listOf(payload['business_contracts']), CONTRACTS_ALONE),
    ...findClosedValueSetViolations(payload, facts.closedValueSets, businessContractDescribingPlaces),
  ];
}

/** Names the contracts whose label a business contract of the import supplier has already. */
export function takenLabelViolations(indexes: readonly number[], contracts: Path): Violation[] {
  return indexes.map((index) => violation('contract_with_identifier_exists', [...contracts, index, 'identifier']));
}

/** In what a stored business differs from the one that is sent now. */
export interface BusinessDifferences {
  /** Fields of `business` with another value. */
  fields: readonly string[];
  /** Indexes of contracts that are sent now and stored with other content, or not stored with this business. */
  changed: readonly number[];
  unknown: readonly number[];
  /** Labels of contracts that came with the business and are not sent now. */
  missing: readonly string[];
}

/** Returns a violation for each difference between a resent business and the stored one. */
export function differenceViolations(differences: BusinessDifferences): Violation[] {
  const contracts = [
    ...differences.changed.map((index) => ({
      index,
      detail: 'The stored contract with this identifier has other content.',
    })),
    ...differences.unknown.map((index) => ({
      index,
      detail: 'The stored business has no such contract; add it by business-contracts/create.',
    })),
  ].sort((one, other) => one.index - other.index);
  return [
    ...differences.fields.map((field) => violation('differs_from_stored', ['business', field])),
    ...contracts.map(({ index, detail }) =>
      violation('differs_from_stored', [...CONTRACTS_OF_BUSINESS, index], detail),
    ),
    ...differences.missing.map((label) =>
      violation('differs_from_stored', CONTRACTS_OF_BUSINESS, `The stored business also has the contract ${label}.`),
    ),
  ];
}
