import { Type } from 'typebox';
import { revealQuery } from '../access/index.ts';
import type { FieldRules, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { businessContractDescribingPaths, businessDescribingPaths } from '../vocabulary/value-sets.ts';
import {
  businessContractSchema,
  businessDetailsSchema,
  createBusinessContractsSchema,
  createBusinessSchema,
} from './business.schema.ts';

const contractExample = {
  identifier: 'FRAME-7',
  valid_from_date: '2026-01-01',
  signed_at_date: '2025-11-20',
  versions: [
    {
      applicable_at_date: '2026-01-01',
      terms: [
        { term_type: 'CONTRACT_METADATA', metadata: { cee_formula_type: 'STANDARD' } },
        {
          term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
          schedules: [
            {
              effective_from: '2026-01-01',
              items: [{ price_per_unit: '0.1432', rate_band: 'CONSUMPTION_STANDARD', product_code: 'PRO-C5' }],
            },
          ],
        },
        { term_type: 'TERMINATION_FEE', amount: 250, fee_type: 'FLAT', supply_type: 'ELECTRICITY' },
        { term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 5 },
      ],
    },
  ],
};

const keyExample = { import_supplier_code: 'SUPPLIER_FR', external_business_identifier: 'BIZ-0042' };

const contractRules = (list: string): FieldRules => ({
  '': ['max_depth'],
  [`${list}.*.identifier`]: ['duplicate_contract_identifiers', 'contract_with_identifier_exists'],
  [`${list}.*.versions`]: ['contract_versions_does_not_include_current'],
  [`${list}.*.versions.*.applicable_at_date`]: ['unique'],
});

/** Operation 12. */
export const createBusinessOpenApi: RouteOpenApi = {
  operationId: 'createBusiness',
  tag: 'Businesses',
  summary: 'Create a business with its contracts',
  description:
    'Create the business before any account that uses one of its contracts. Sending the same business again returns the same id, even while its import supplier is Paused or Complete. A business that differs from the stored one is rejected, with all differing fields.',
  request: createBusinessSchema,
  rules: {
    ...contractRules('business.business_contracts'),
    import_supplier_code: ['invalid_choice'],
    'business.siret': ['invalid_siret', 'differs_from_stored'],
    'business.details.*.key': ['children_with_duplicate_values'],
    'business.details.*.value': ['siren_mismatch'],
    'business.business_type': ['differs_from_stored'],
    'business.company_name': ['differs_from_stored'],
    'business.details': ['differs_from_stored'],
    'business.business_contracts': ['differs_from_stored'],
    'business.business_contracts.*': ['differs_from_stored'],
  },
  describingPaths: businessDescribingPaths,
  requestExamples: {
    'with a contract': {
      ...keyExample,
      business: {
        business_type: 'EURL',
        company_name: 'Fournil Exemple',
        siret: '60487647400494',
        details: [{ key: 'siren', value: '604876474' }],
        business_contracts: [contractExample],
      },
    },
  },
  replies: {
    201: {
      description: 'The business is created, or was created before by the same request.',
      schema: Type.Object(
        {
          service_business_id: Type.Integer(),
          external_business_identifier: Type.String(),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedBusiness' },
      ),
      example: { service_business_id: 4711, external_business_identifier: 'BIZ-0042' },
    },
  },
  refusals: ['validation_failed', 'business_already_exists', 'import_supplier_migration_not_ongoing'],
  refusalMembers: {
    business_already_exists: Type.Object(
      {
        external_business_identifier: Type.String({ examples: ['BIZ-0042'] }),
        service_business_id: Type.Integer({ examples: [4711] }),
      },
      { title: 'ExistingBusiness' },
    ),
  },
};

/** Operation 13. */
export const createBusinessContractsOpenApi: RouteOpenApi = {
  operationId: 'createBusinessContracts',
  tag: 'Businesses',
  summary: 'Add contracts to a business',
  description: 'Stores all contracts or none.',
  request: createBusinessContractsSchema,
  rules: contractRules('business_contracts'),
  describingPaths: businessContractDescribingPaths,
  requestExamples: {
    'one contract': { ...keyExample, business_contracts: [{ ...contractExample, identifier: 'FRAME-8' }] },
  },
  replies: {
    201: {
      description: 'The contracts are added.',
      schema: Type.Object(
        {
          business_contracts: Type.Array(Type.Object({ identifier: Type.String() })),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'AddedBusinessContracts' },
      ),
      example: { business_contracts: [{ identifier: 'FRAME-8' }] },
    },
  },
  refusals: ['validation_failed', 'business_not_found'],
};

const accountOfBusiness = Type.Object({
  external_account_number: Type.String(),
  service_account_number: Type.String(),
  business_contract_identifier: Type.String(),
  account_created_at: Type.String({ format: 'date-time', minLength: 1 }),
});

/** `GET businesses/<supplier>/<external>/`. */
export const findBusinessOpenApi: RouteOpenApi = {
  operationId: 'findBusiness',
  tag: 'Operations',
  summary: 'Show a business with its contracts and accounts',
  path: {
    supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
    external: { description: 'Identifier of the business in the external system.', example: 'BIZ-0042' },
  },
  query: revealQuery,
  replies: {
    200: {
      description: 'All stored data of the business.',
      schema: Type.Object(
        {
          import_supplier_code: Type.String(),
          external_business_identifier: Type.String(),
          service_business_id: Type.Integer(),
          created_at: Type.String({ format: 'date-time', minLength: 1 }),
          business: Type.Object({
            business_type: Type.Optional(Type.String()),
            company_name: Type.String(),
            siret: Type.Optional(Type.String()),
            details: Type.Optional(businessDetailsSchema),
            business_contracts: Type.Array(businessContractSchema),
          }),
          accounts: Type.Array(accountOfBusiness),
        },
        { title: 'StoredBusiness' },
      ),
      example: {
        ...keyExample,
        service_business_id: 4711,
        created_at: '2026-11-02T20:01:00Z',
        business: { company_name: 'Fournil Exemple', business_type: 'EURL', business_contracts: [contractExample] },
        accounts: [
          {
            external_account_number: 'FIRM-00000042',
            service_account_number: 'A-7KQ2M9XDT',
            business_contract_identifier: 'FRAME-7',
            account_created_at: '2026-11-02T21:15:09Z',
          },
        ],
      },
    },
  },
  refusals: ['validation_failed', 'business_not_found'],
};
