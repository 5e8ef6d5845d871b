import { type Static, Type } from 'typebox';
import { contactDataReadOf } from '../access/index.ts';
import type { Database, WritableDatabase } from '../platform/database/database.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import {
  type SupplierDirectory,
  closedValueSetsOf,
  findSupplierInScope,
  readingOptionsOf,
} from '../suppliers/index.ts';
import { migrationNotOngoing } from '../suppliers/supplier-status.rules.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
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
  businessKeyFields,
  createBusinessContractsSchema,
  createBusinessSchema,
} from './business.schema.ts';
import { createBusinessContractsOpenApi, createBusinessOpenApi, findBusinessOpenApi } from './businesses.openapi.ts';
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

/** Operation 12: creates a business with its contracts. Repeating the request returns the same id. */
export const createBusiness = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business',
  access: 'supplier',
  openApi: createBusinessOpenApi,
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

/** Operation 13: adds contracts to a business, in any status of the import supplier. */
export const createBusinessContracts = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business-contracts/create',
  access: 'supplier',
  openApi: createBusinessContractsOpenApi,
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

/** `GET businesses/<supplier>/<external>/`: all stored data of a business, and the accounts linked to it. */
export const findBusiness = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/businesses/:supplier/:external',
  access: 'operator',
  action: 'look',
  openApi: findBusinessOpenApi,
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
