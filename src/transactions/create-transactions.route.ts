import { Type } from 'typebox';
import { refuseMissingAccount } from '../accounts/index.ts';
import { parisDay, type Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { flagParameter, readFlag } from '../platform/http/query-parameters.ts';
import type { Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { compileCopy } from '../platform/validation/copy-by-schema.ts';
import { isJsonObject } from '../vocabulary/loose-payload.ts';
import { oneOf, opaqueObject } from '../platform/validation/field-types.schema.ts';
import type { SchemaNode } from '../platform/validation/schema-node.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import type { ClosedValueSets } from '../suppliers/supplier-options.rules.ts';
import {
  closedValueSetsOf,
  findSupplierInScope,
  readingOptionsOf,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { Violation } from '../vocabulary/violations.ts';
import { transactionDescribingPaths } from '../vocabulary/value-sets.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { findTransactionViolations, toTwoDecimals } from './classify-transactions.rules.ts';
import {
  anyTransactionSchema,
  createTransactionsSchema,
  transactionFields,
  transactionImportError,
  type CreateTransactionsRequest,
} from './create-transactions.schema.ts';
import { createTransactions as createTransactionsInDatabase } from './create-transactions.store.ts';

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
  /** The import job whose lines are processed. */
  importJobId?: string;
}

const payment = {
  transaction_id: 'PAY-81',
  transaction_date: '2026-10-05',
  amount: 62,
  type: 'PAYMENT',
  reason: 'ACCOUNT_CHARGE_PAYMENT',
  payment_type: 'DD_REGULAR_COLLECTION',
  reference: 'RUM-81',
};

const supplyCharge = {
  transaction_id: 'SUP-9',
  transaction_date: '2026-09-30',
  amount: 38.72,
  type: 'SUPPLY_CHARGE',
  product_code: 'ELEC-BASE-2026',
  display_note: 'September',
  line_items: [
    {
      start_date: '2026-09-01',
      end_date: '2026-09-30',
      number_of_units: 128,
      net_amount: 32,
      price_per_unit: 0.25,
      rate_band: 'CONSUMPTION_STANDARD',
      units: [4100, 4228],
    },
  ],
  tax_items: [{ amount: 6.72, tax_type: 'VAT', value_taxed: 32, rate: 0.21, unit_type: 'PROPORTION' }],
};

const transactionResult = Type.Object(
  {
    status: oneOf(['TRANSACTION_ADDED_TO_ACCOUNT', 'TRANSACTION_ALREADY_EXISTS']),
    transaction_data: opaqueObject(),
    differs: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'TransactionResult' },
);

const transactionResults = Type.Object(
  { results: Type.Array(transactionResult), warnings: Type.Optional(warningsMember) },
  { title: 'TransactionResults' },
);

const openApi: RouteOpenApi = {
  operationId: 'createTransactions',
  tag: 'Attachments',
  summary: 'Add transactions to an imported account',
  description:
    'Stores all transactions or none. `transaction_data` is the transaction as sent, its amount as a decimal with two places; one whose date was changed carries the new date and a `description`. ' +
    'A transaction that the account already has is returned with its stored data, and with `differs` if the content is different. Results come in the order of the request. ' +
    'For a fault inside `transactions`, the response also contains `status`, `error_detail` and `transaction_data` of the first faulty transaction.',
  query: {
    check_previously_added: flagParameter(
      'Whether a transaction whose id the account already has counts as the same one and is skipped.',
      true,
    ),
    force_add_to_current_statement: flagParameter(
      'Whether a date outside the open statement period is changed to the nearest one inside; a pinned note lists them. `false` rejects the request.',
      true,
    ),
  },
  request: createTransactionsSchema,
  rules: {
    '': ['max_depth'],
    'transactions.*.transaction_id': ['duplicate_transaction_ids'],
    'transactions.*.transaction_date': ['transaction_in_future', 'transaction_date_outside_open_statement_period'],
    'transactions.*.amount': [
      'min_value',
      'ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount',
    ],
    'transactions.*.line_items.*.end_date': ['start_date_later_than_end_date'],
    'transactions.*.line_items.*.net_amount': ['incorrect_line_item_net_amount'],
  },
  describingPaths: transactionDescribingPaths,
  requestExamples: {
    'a payment and a supply charge': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      transactions: [payment, supplyCharge],
    },
  },
  replies: {
    201: {
      description: 'The result of each transaction.',
      schema: transactionResults,
      example: {
        results: [
          {
            status: 'TRANSACTION_ADDED_TO_ACCOUNT',
            transaction_data: { ...payment, amount: '62.00', status: 'TRANSACTION_IMPORT_SUCCESS' },
          },
          {
            status: 'TRANSACTION_ALREADY_EXISTS',
            transaction_data: { ...supplyCharge, amount: '38.72' },
            differs: ['display_note'],
          },
        ],
      },
    },
  },
  refusals: ['account_not_found', 'account_being_withdrawn'],
  refusalMembers: { validation_failed: transactionImportError },
};

/** Operation 5: adds transactions to an imported account, and reports existing ones. */
export const createTransactions = (deps: TransactionsDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/transactions/create',
  access: 'supplier',
  openApi,
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
    const outcome = await createTransactionsInDatabase(deps.database, data, options, {
      now,
      today: parisDay(now),
      importJobId: deps.importJobId ?? null,
    });
    if (outcome.kind === 'account-not-found') {
      return refuseMissingAccount(deps.database, data.import_supplier, data.external_account_number);
    }
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
