import { parisDay, type Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import {
  findSupplierInScope,
  readingOptionsOf,
  type DocumentCheck,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { createStatementsSchema, type CreateStatementsRequest } from './create-statements.schema.ts';
import { createStatements as createStatementsInDatabase } from './create-statements.store.ts';
import { findStatementViolations, knownStatementViolations, statementDocumentPositions } from './statement.rules.ts';
import { createStatementsOpenApi } from './statements.openapi.ts';

const check = compilePayload<CreateStatementsRequest, { today: string }>(
  createStatementsSchema,
  findStatementViolations,
);

export interface StatementsDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  clock: Clock;
  bodyLimitBytes: number;
}

/** Operation 6: adds historical statements to an imported account. */
export const createStatements = (deps: StatementsDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/historical-statements/create',
  access: 'supplier',
  openApi: createStatementsOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(
      request,
      { today: parisDay(deps.clock.now()) },
      readingOptionsOf(supplier),
    );
    // Repeated ids are reported together with those that the account already has.
    const isWellFormed = violations.every(({ code }) => code === 'historical_statement_already_exists');
    if (!isWellFormed) return refuse('validation_failed', { violations, truncated });
    if (supplier === undefined) return refuse('account_not_found');
    const missing = await deps.documents.findMissing(
      supplier,
      statementDocumentPositions(data.statements, ['statements']),
      request.log,
    );
    if (isRefused(missing)) return missing;
    if (missing.length > 0) return refuse('validation_failed', { violations: [...missing, ...violations] });
    const outcome = await createStatementsInDatabase(deps.database, data, supplier.documentRoot);
    switch (outcome.kind) {
      case 'created':
        return { status: 201, body: { ...data, ...warningsOf(payloadWarnings) } };
      case 'account-not-found':
        return refuse('account_not_found');
      case 'known':
        return refuse('validation_failed', { violations: knownStatementViolations(outcome.indexes) });
    }
  },
});
