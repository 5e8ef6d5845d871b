import type { WritableDatabase } from '../platform/database/database.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import {
  closedValueSetsOf,
  findSupplierInScope,
  readingOptionsOf,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { migrationNotOngoing } from '../suppliers/supplier-status.rules.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { warningsOf, type Warning } from '../vocabulary/warnings.ts';
import { createBusinessOpenApi } from './businesses.openapi.ts';
import {
  CONTRACTS_OF_BUSINESS,
  differenceViolations,
  findBusinessViolations,
  takenLabelViolations,
  type BusinessFacts,
} from './create-business.rules.ts';
import { createBusinessSchema, type CreateBusinessRequest } from './create-business.schema.ts';
import { createBusiness as createBusinessInDatabase, type BusinessOutcome } from './create-business.store.ts';

export interface BusinessDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  bodyLimitBytes: number;
  /** The business will be rolled back. */
  isRehearsal?: boolean;
}

const check = compilePayload<CreateBusinessRequest, BusinessFacts>(createBusinessSchema, findBusinessViolations);

/** Operation 12: creates a business with its contracts; the same request again gets the same id. */
export const createBusiness = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business',
  access: 'supplier',
  openApi: createBusinessOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  hasManyMembers: true,
  handle: async (request) => {
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier_code');
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(
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
    case 'labels-taken':
      return refuse('validation_failed', { violations: takenLabelViolations(outcome.indexes, CONTRACTS_OF_BUSINESS) });
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
