import type { Route } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { closedValueSetsOf, findSupplierInScope, readingOptionsOf } from '../suppliers/index.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { createBusinessContractsOpenApi } from './businesses.openapi.ts';
import { createBusinessContracts as createBusinessContractsInDatabase } from './create-business-contracts.store.ts';
import type { BusinessDeps } from './create-business.route.ts';
import {
  CONTRACTS_ALONE,
  findAddedContractViolations,
  takenLabelViolations,
  type BusinessFacts,
} from './create-business.rules.ts';
import { createBusinessContractsSchema, type CreateBusinessContractsRequest } from './create-business.schema.ts';

const check = compilePayload<CreateBusinessContractsRequest, Pick<BusinessFacts, 'closedValueSets'>>(
  createBusinessContractsSchema,
  findAddedContractViolations,
);

/** Operation 13: adds contracts to a business. It stays open when the supplier is Paused or Complete. */
export const createBusinessContracts = (deps: BusinessDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/business-contracts/create',
  access: 'supplier',
  openApi: createBusinessContractsOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  hasManyMembers: true,
  handle: async (request) => {
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier_code');
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(
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
      case 'labels-taken':
        return refuse('validation_failed', { violations: takenLabelViolations(outcome.indexes, CONTRACTS_ALONE) });
    }
  },
});
