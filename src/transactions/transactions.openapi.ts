import { Type } from 'typebox';
import { flagParameter } from '../platform/http/query-parameters.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { opaqueObject, opaqueValue } from '../platform/validation/field-types.schema.ts';
import { transactionDescribingPaths } from '../vocabulary/value-sets.ts';
import { createTransactionsSchema } from './create-transactions.schema.ts';

const KEY = { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' };

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
    status: Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      enum: ['TRANSACTION_ADDED_TO_ACCOUNT', 'TRANSACTION_ALREADY_EXISTS'],
    }),
    transaction_data: opaqueObject(),
    differs: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'TransactionResult' },
);

/** Operation 5. */
export const createTransactionsOpenApi: RouteOpenApi = {
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
  requestExamples: { 'a payment and a supply charge': { ...KEY, transactions: [payment, supplyCharge] } },
  replies: {
    201: {
      description: 'The result of each transaction.',
      schema: Type.Object(
        { results: Type.Array(transactionResult), warnings: Type.Optional(warningsMember) },
        { title: 'TransactionResults' },
      ),
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
  refusals: ['validation_failed', 'account_not_found'],
  refusalMembers: {
    // Omitted unless a transaction fails.
    validation_failed: Type.Object(
      {
        status: Type.Optional(Type.String({ examples: ['TRANSACTION_IMPORT_ERROR'] })),
        error_detail: Type.Optional(Type.String({ examples: ['The amount of a payment must be greater than zero.'] })),
        transaction_data: Type.Optional(
          Type.Unsafe<unknown>({ ...opaqueValue(), examples: [{ ...payment, amount: '-62.00' }] }),
        ),
      },
      { title: 'TransactionImportError' },
    ),
  },
};
