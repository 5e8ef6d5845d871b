import { refuseMissingAccount } from '../accounts/index.ts';
import { parisDay, type Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import {
  findSupplierInScope,
  readingOptionsOf,
  type DocumentCheck,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { createdStatements, createStatementsSchema, type CreateStatementsRequest } from './create-statements.schema.ts';
import { createStatements as createStatementsInDatabase } from './create-statements.store.ts';
import { findStatementViolations, knownStatementViolations, statementDocumentPositions } from './statement.rules.ts';

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
  /** The import job whose lines are processed. */
  importJobId?: string;
}

const example = {
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  statements: [
    {
      bill_period_from_date: '2026-09-01',
      bill_period_to_date: '2026-09-30',
      statement_id: 'BILL-2026-09',
      issued_date: '2026-10-03',
      number: '2026-09-4711',
      gross_amount: 84.5,
      statement_path: 'statements/2026/09/bill.pdf',
    },
  ],
};

const openApi: RouteOpenApi = {
  operationId: 'createHistoricalStatements',
  tag: 'Attachments',
  summary: 'Add historical statements to an imported account',
  description:
    'Adds all statements or none. The latest end of a statement closes the period before it for transactions.',
  request: createStatementsSchema,
  rules: {
    '': ['max_depth'],
    'statements.*.bill_period_to_date': ['start_date_later_than_end_date', 'date_too_far_ahead'],
    'statements.*.statement_id': ['historical_statement_already_exists'],
    'statements.*.statement_path': ['path_does_not_exist_in_file_store'],
  },
  requestExamples: { 'one statement': example },
  replies: {
    201: { description: 'The statements are added: the validated data.', schema: createdStatements, example },
  },
  refusals: ['account_not_found', 'account_being_withdrawn'],
};

/** Operation 6: adds historical statements to an imported account. */
export const createStatements = (deps: StatementsDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/historical-statements/create',
  access: 'supplier',
  openApi,
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
    const outcome = await createStatementsInDatabase(deps.database, data, {
      documentRoot: supplier.documentRoot,
      importJobId: deps.importJobId ?? null,
    });
    switch (outcome.kind) {
      case 'created':
        return { status: 201, body: { ...data, ...warningsOf(payloadWarnings) } };
      case 'account-not-found':
        return refuseMissingAccount(deps.database, data.import_supplier, data.external_account_number);
      case 'known':
        return refuse('validation_failed', { violations: knownStatementViolations(outcome.indexes) });
    }
  },
});
