import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/account-key.schema.ts';
import {
  key,
  list,
  money,
  opaqueValue,
  requiredDay,
  requiredKey,
  requiredMoney,
  requiredText,
  taggedObject,
  text,
} from '../platform/validation/field-types.schema.ts';
import type { transactionTypes } from '../vocabulary/value-sets.ts';

const DESCRIBING_LENGTH_MAX = 128;

const lineItem = Type.Object({
  start_date: requiredDay(),
  end_date: requiredDay(),
  number_of_units: requiredMoney(),
  net_amount: requiredMoney(),
  price_per_unit: Type.Optional(money()),
  rate_band: Type.Optional(key(DESCRIBING_LENGTH_MAX)),
  units: Type.Optional(list(requiredMoney())),
});

const taxItem = Type.Object({
  amount: requiredMoney(),
  tax_type: requiredText(DESCRIBING_LENGTH_MAX),
  value_taxed: Type.Optional(money()),
  rate: Type.Optional(money()),
  unit_type: Type.Optional(text(DESCRIBING_LENGTH_MAX)),
});

const reason = requiredText(DESCRIBING_LENGTH_MAX);
const internalNote = Type.Optional(text());
const displayNote = Type.Optional(text());
const payment = {
  reason,
  note: internalNote,
  reference: Type.Optional(key()),
  payment_type: Type.Optional(text(DESCRIBING_LENGTH_MAX)),
};

/** The types of transaction, each with the fields that it uses; a field that a type does not use is dropped. */
export const transactionFields = {
  CHARGE: { reason, display_note: displayNote, note: internalNote },
  CREDIT: { reason, display_note: displayNote, note: internalNote },
  PAYMENT: payment,
  REPAYMENT: payment,
  SUPPLY_CHARGE: {
    product_code: requiredKey(DESCRIBING_LENGTH_MAX),
    display_note: displayNote,
    line_items: list(lineItem, 1),
    tax_items: Type.Optional(list(taxItem)),
  },
} satisfies Record<keyof typeof transactionTypes, object>;

const sharedFields = {
  transaction_id: requiredKey(128),
  transaction_date: requiredDay(),
  amount: requiredMoney({ decimalPlacesMax: 2 }),
};

/** Body of operation 5. */
export const createTransactionsSchema = Type.Object({
  ...importedAccountFields,
  transactions: list(taggedObject('type', transactionFields, sharedFields)),
});

export type CreateTransactionsRequest = Static<typeof createTransactionsSchema>;
export type SentTransaction = CreateTransactionsRequest['transactions'][number];

/** The documented fields of all types, which responses repeat for a transaction of unknown type. */
export const anyTransactionSchema = Type.Object({
  ...sharedFields,
  type: Type.Unknown(),
  ...(Object.assign({}, ...Object.values(transactionFields)) as typeof transactionFields.CHARGE),
});

/** Additional members of a refusal, if a transaction fails. */
export const transactionImportError = Type.Object(
  {
    status: Type.Optional(Type.String({ examples: ['TRANSACTION_IMPORT_ERROR'] })),
    error_detail: Type.Optional(Type.String({ examples: ['The amount of a payment must be greater than zero.'] })),
    transaction_data: Type.Optional(
      opaqueValue({
        examples: [
          {
            transaction_id: 'PAY-81',
            transaction_date: '2026-10-05',
            amount: '-62.00',
            type: 'PAYMENT',
            reason: 'ACCOUNT_CHARGE_PAYMENT',
            payment_type: 'DD_REGULAR_COLLECTION',
            reference: 'RUM-81',
          },
        ],
      }),
    ),
  },
  { title: 'TransactionImportError' },
);
