import { parisDay, type Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { readFlag } from '../platform/http/query-parameters.ts';
import type { Route } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { compileCopy } from '../platform/validation/copy-by-schema.ts';
import { isJsonObject } from '../vocabulary/loose-payload.ts';
import type { SchemaNode } from '../platform/validation/schema-node.ts';
import type { ClosedValueSets } from '../suppliers/closed-value-set.rules.ts';
import {
  closedValueSetsOf,
  findSupplierInScope,
  readingOptionsOf,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { Violation } from '../vocabulary/violations.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { findTransactionViolations, toTwoDecimals } from './create-transactions.rules.ts';
import {
  anyTransactionSchema,
  createTransactionsSchema,
  transactionFields,
  type CreateTransactionsRequest,
} from './create-transactions.schema.ts';
import { createTransactions as createTransactionsInDatabase } from './create-transactions.store.ts';
import { createTransactionsOpenApi } from './transactions.openapi.ts';

const check = compilePayload<CreateTransactionsRequest, { closedValueSets?: ClosedValueSets | undefined }>(
  createTransactionsSchema,
  findTransactionViolations,
);
const copyOfAnyType = compileCopy(anyTransactionSchema as unknown as SchemaNode);

export interface TransactionsDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  clock: Clock;
  bodyLimitBytes: number;
}

/** Operation 5: adds transactions to an imported account, and reports existing ones. */
export const createTransactions = (deps: TransactionsDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/transactions/create',
  access: 'supplier',
  openApi: createTransactionsOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const { body, query } = request;
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(
      request,
      { closedValueSets: closedValueSetsOf(supplier) },
      readingOptionsOf(supplier),
    );
    const flags = [
      readFlag(query, 'check_previously_added', true),
      readFlag(query, 'force_add_to_current_statement', true),
    ];
    const inQuery = flags.filter((flag) => typeof flag !== 'boolean');
    if (violations.length + inQuery.length > 0) {
      return refuseRequest([...inQuery, ...violations], data, body, truncated);
    }
    const options = { checkPreviouslyAdded: flags[0] === true, forceAddToCurrentStatement: flags[1] === true };
    if (supplier === undefined) return refuse('account_not_found');
    const now = deps.clock.now();
    const outcome = await createTransactionsInDatabase(deps.database, data, options, { now, today: parisDay(now) });
    if (outcome.kind === 'account-not-found') return refuse('account_not_found');
    if (outcome.violations.length > 0) return refuseRequest(outcome.violations, data, body);
    return {
      status: 201,
      body: { results: outcome.results, ...warningsOf([...payloadWarnings, ...outcome.warnings]) },
    };
  },
});

/** Builds the refusal. If a violation is inside `transactions`, the body also shows the first failing transaction. */
function refuseRequest(
  violations: readonly Violation[],
  data: CreateTransactionsRequest,
  body: unknown,
  truncated = false,
): Refused {
  const first = violations.find(({ attr }) => /^transactions\.\d/.test(attr));
  if (first === undefined) return refuse('validation_failed', { violations, truncated });
  const index = Number(first.attr.split('.')[1]);
  // A payload that is nested too deeply was never copied, so it is not returned.
  const shown =
    first.code === 'max_depth'
      ? null
      : shownAsSent(data.transactions[index], (body as CreateTransactionsRequest).transactions[index]);
  const extras = { status: 'TRANSACTION_IMPORT_ERROR', error_detail: first.detail, transaction_data: shown };
  return refuse('validation_failed', { violations, truncated, extras });
}

/** The documented fields of a rejected transaction; the amount has two decimal places if it has no more. */
function shownAsSent(checked: unknown, sent: unknown): unknown {
  const type = isJsonObject(checked) ? checked['type'] : undefined;
  const isKnownType = typeof type === 'string' && Object.hasOwn(transactionFields, type);
  const copy = isKnownType
    ? checked
    : copyOfAnyType(sent, { hasBadText: false, hasDropped: false, hasDamagedText: false });
  return isJsonObject(copy) && 'amount' in copy ? { ...copy, amount: toTwoDecimals(copy['amount']) } : copy;
}
