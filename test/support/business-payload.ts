import type { CreateBusinessContractsRequest, CreateBusinessRequest } from '../../src/businesses/business.schema.ts';
import { businessContract, siretOf } from './account-payload.ts';

/**
 * A valid request of operation 12: a business with all documented fields and one contract with a term of each type.
 * @param sequence makes identifier, SIRET and label unique
 */
export function businessRequest(
  overrides: Partial<CreateBusinessRequest['business']> = {},
  sequence = 1,
): CreateBusinessRequest {
  const siret = siretOf(sequence);
  return {
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: `WORKS-${sequence}`,
    business: {
      business_type: 'EURL',
      company_name: 'Fonderie du Canal',
      siret,
      details: [
        { key: 'siren', value: siret.slice(0, 9) },
        { key: 'naf', value: '2451Z' },
      ],
      business_contracts: [businessContract(`FRAME-${sequence}`)],
      ...overrides,
    },
  };
}

/** A valid request of operation 13 for the business of the same `sequence`. */
export function contractsRequest(labels: string[], sequence = 1): CreateBusinessContractsRequest {
  return {
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: `WORKS-${sequence}`,
    business_contracts: labels.map((label) => businessContract(label)),
  };
}
