import { type Static, Type } from 'typebox';
import { contactDataReadOf, revealQuery } from '../access/index.ts';
import type { Database, WritableDatabase } from '../platform/database/database.ts';
import { operatorRead, type Reply, type Route } from '../platform/http/route.ts';
import type { FieldRules, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compileOperatorBody, compilePayload } from '../platform/validation/compile-payload.ts';
import { requiredInstant } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import {
  type SupplierDirectory,
  closedValueSetsOf,
  findSupplierInScope,
  readingOptionsOf,
} from '../suppliers/index.ts';
import { migrationNotOngoing } from '../suppliers/supplier-status.rules.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { businessContractDescribingPaths, businessDescribingPaths } from '../vocabulary/value-sets.ts';
import { type Warning, warningsOf } from '../vocabulary/warnings.ts';
import {
  type BusinessFacts,
  CONTRACTS_PATH,
  CONTRACTS_OF_BUSINESS,
  differenceViolations,
  findAddedContractViolations,
  findBusinessViolations,
  duplicateIdentifierViolations,
} from './business.rules.ts';
import {
  type CreateBusinessContractsRequest,
  type CreateBusinessRequest,
  businessContractSchema,
  businessDetailsSchema,
  businessKeyFields,
  createBusinessContractsSchema,
  createBusinessSchema,
} from './business.schema.ts';
import {
  type BusinessOutcome,
  createBusiness as createBusinessInDatabase,
  createBusinessContracts as createBusinessContractsInDatabase,
} from './create-business.store.ts';
import { readBusiness } from './find-business.store.ts';

export interface BusinessDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  bodyLimitBytes: number;
  /** Set if the caller rolls the business back. */
  isRehearsal?: boolean;
}

const checkBusiness = compilePayload<CreateBusinessRequest, BusinessFacts>(
  createBusinessSchema,
  findBusinessViolations,
);

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

const businessId = () => Type.Integer({ examples: [4711] });

const createOpenApi: RouteOpenApi = {
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
          service_business_id: businessId(),
          external_business_identifier: Type.String(),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedBusiness' },
      ),
    },
  },
  refusals: ['business_already_exists', 'import_supplier_migration_not_ongoing'],
  refusalMembers: {
    business_already_exists: Type.Object(
      { external_business_identifier: Type.String(), service_business_id: businessId() },
      { title: 'ExistingBusiness' },
    ),
  },
};

/** Operation 12: creates a business with its contracts. Repeating the request returns the same id. */
export const createBusiness = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business',
  access: 'supplier',
  openApi: createOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  hasManyMembers: true,
  handle: async (request) => {
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier_code');
    const { data, violations, truncated, payloadWarnings } = await checkBusiness.ofRequest(
      request,
      { supplierCodes: { has: (code) => code === supplier?.code }, closedValueSets: closedValueSetsOf(supplier) },
      readingOptionsOf(supplier),
    );
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    return answer(
      data.external_business_identifier,
      await createBusinessInDatabase(deps.database, data, deps.isRehearsal === true),
      payloadWarnings,
    );
  },
});

function answer(
  externalBusinessIdentifier: string,
  outcome: BusinessOutcome,
  warnings: readonly Warning[],
): Reply | Refused {
  switch (outcome.kind) {
    case 'created':
      return created(externalBusinessIdentifier, outcome.serviceBusinessId, warnings);
    case 'exists': {
      const violations = differenceViolations(outcome.differences);
      if (violations.length === 0) return created(externalBusinessIdentifier, outcome.serviceBusinessId, warnings);
      const extras = {
        external_business_identifier: externalBusinessIdentifier,
        service_business_id: outcome.serviceBusinessId,
      };
      return refuse('business_already_exists', { violations, extras });
    }
    case 'identifiers-taken':
      return refuse('validation_failed', {
        violations: duplicateIdentifierViolations(outcome.indexes, CONTRACTS_OF_BUSINESS),
      });
    case 'not-ongoing':
      return migrationNotOngoing(outcome.status);
  }
}

function created(externalBusinessIdentifier: string, serviceBusinessId: number, warnings: readonly Warning[]): Reply {
  return {
    status: 201,
    body: {
      service_business_id: serviceBusinessId,
      external_business_identifier: externalBusinessIdentifier,
      ...warningsOf(warnings),
    },
  };
}

const checkContracts = compilePayload<CreateBusinessContractsRequest, Pick<BusinessFacts, 'closedValueSets'>>(
  createBusinessContractsSchema,
  findAddedContractViolations,
);

const contractsOpenApi: RouteOpenApi = {
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
          business_contracts: Type.Array(Type.Object({ identifier: Type.String({ examples: ['FRAME-8'] }) })),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'AddedBusinessContracts' },
      ),
    },
  },
  refusals: ['business_not_found'],
};

/** Operation 13: adds contracts to a business, in any status of the import supplier. */
export const createBusinessContracts = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business-contracts/create',
  access: 'supplier',
  openApi: contractsOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  hasManyMembers: true,
  handle: async (request) => {
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier_code');
    const { data, violations, truncated, payloadWarnings } = await checkContracts.ofRequest(
      request,
      { closedValueSets: closedValueSetsOf(supplier) },
      readingOptionsOf(supplier),
    );
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    if (supplier === undefined) return refuse('business_not_found');
    const outcome = await createBusinessContractsInDatabase(deps.database, data);
    switch (outcome.kind) {
      case 'created':
        return {
          status: 201,
          body: {
            business_contracts: data.business_contracts.map(({ identifier }) => ({ identifier })),
            ...warningsOf(payloadWarnings),
          },
        };
      case 'business-not-found':
        return refuse('business_not_found');
      case 'identifiers-taken':
        return refuse('validation_failed', {
          violations: duplicateIdentifierViolations(outcome.indexes, CONTRACTS_PATH),
        });
    }
  },
});

const pathSchema = Type.Object(businessKeyFields);
const checkPath = compileOperatorBody<Static<typeof pathSchema>>(pathSchema);

const accountOfBusiness = Type.Object({
  external_account_number: Type.String({ examples: ['FIRM-00000042'] }),
  service_account_number: Type.String(),
  business_contract_identifier: Type.String({ examples: ['FRAME-7'] }),
  account_created_at: requiredInstant({ examples: ['2026-11-02T21:15:09Z'] }),
});

const findOpenApi: RouteOpenApi = {
  operationId: 'findBusiness',
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
          service_business_id: businessId(),
          created_at: requiredInstant({ examples: ['2026-11-02T20:01:00Z'] }),
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
        business: { company_name: 'Fournil Exemple', business_type: 'EURL', business_contracts: [contractExample] },
      },
    },
  },
  refusals: ['business_not_found'],
};

/** `GET businesses/<supplier>/<external>/`: all stored data of a business, and the accounts linked to it. */
export const findBusiness = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/businesses/:supplier/:external',
    openApi: findOpenApi,
    handle: async (request) => {
      const { params, caller } = request;
      const read = contactDataReadOf(request);
      if (isRefused(read)) return read;
      const path = checkPath({
        import_supplier_code: params['supplier'],
        external_business_identifier: params['external'],
      });
      if (isRefused(path)) return refuse('business_not_found');
      const key = {
        importSupplier: path.import_supplier_code,
        externalBusinessIdentifier: path.external_business_identifier,
      };
      const json = await readBusiness(deps.database, caller, key, read);
      return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
    },
  });
