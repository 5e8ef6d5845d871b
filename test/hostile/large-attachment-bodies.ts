import { payment, statement } from '../support/attachments.ts';
import { attachedTo, LIST_ITEMS, many, UNKNOWN_ACCOUNT, refusedAnywhere, type Shape } from './large-body.ts';

const [TRANSACTIONS, NOTES, STATEMENTS] = [
  '/v1/data-import/transactions/create/',
  '/v1/data-import/notes/create/',
  '/v1/data-import/historical-statements/create/',
];

const decimal = `${'9'.repeat(27)}.${'9'.repeat(12)}`;
const charge = {
  transaction_id: 'T',
  transaction_date: '2026-01-01',
  amount: 1,
  type: 'SUPPLY_CHARGE',
  product_code: 'P',
  display_note: 'N',
  line_items: [
    {
      start_date: '2026-01-01',
      end_date: '2026-01-02',
      number_of_units: 1,
      net_amount: decimal,
      price_per_unit: 1,
      rate_band: '',
      units: [1, 2],
    },
  ],
  tax_items: many(() => ({
    amount: decimal,
    tax_type: 'VAT',
    value_taxed: decimal,
    rate: '0.2',
    unit_type: 'PROPORTION',
  })),
};

const statements: Shape = {
  name: 'statements of an account that is there',
  path: STATEMENTS,
  make: (sequence) => ({ ...attachedTo(sequence), statements: many((index) => statement(`S${index}`), LIST_ITEMS) }),
  status: 201,
};

/** Transactions, notes and statements. */
export const largeAttachments: readonly Shape[] = [
  {
    name: 'transactions with many tax items',
    path: TRANSACTIONS,
    make: () => ({ ...UNKNOWN_ACCOUNT, transactions: [charge] }),
    status: 400,
  },
  {
    name: 'payments',
    path: TRANSACTIONS,
    make: () => ({
      ...UNKNOWN_ACCOUNT,
      transactions: many((index) => ({
        transaction_id: `T${index}`,
        transaction_date: '2026-01-01',
        amount: '1.25',
        type: 'PAYMENT',
        display_note: 'note',
      })),
    }),
    status: 400,
  },
  {
    name: 'notes',
    path: NOTES,
    make: () => ({
      ...UNKNOWN_ACCOUNT,
      notes: many((index) => ({ body: `a note of some length ${index}`, is_pinned: false })),
    }),
    status: 400,
  },
  {
    name: 'notes of an account that is there',
    path: NOTES,
    make: (sequence) => ({
      ...attachedTo(sequence),
      notes: many((index) => ({ body: `a note of some length ${index}`, is_pinned: false }), LIST_ITEMS),
    }),
    status: 201,
  },
  {
    name: 'payments of an account that is there',
    path: TRANSACTIONS,
    make: (sequence) => ({ ...attachedTo(sequence), transactions: many((index) => payment(`T${index}`), LIST_ITEMS) }),
    status: 201,
  },
  statements,
  { ...statements, name: 'statements that the account has already', status: 400, first: statements },
  {
    name: 'statements of one id',
    path: STATEMENTS,
    make: (sequence) => ({ ...attachedTo(sequence), statements: many(() => statement('S'), LIST_ITEMS) }),
    status: 400,
  },
  {
    name: 'statements of faulty days and amounts',
    path: STATEMENTS,
    make: (sequence) => ({
      ...attachedTo(sequence),
      statements: many(
        (index) =>
          statement(`F${index}`, { issued_date: '2026-02-30', gross_amount: 'x', bill_period_to_date: '9999-01-01' }),
        LIST_ITEMS,
      ),
    }),
    status: 400,
  },
  ...refusedAnywhere(STATEMENTS, attachedTo(1), 'statements'),
];
