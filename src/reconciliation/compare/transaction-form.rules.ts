import { empty, field, fields, type StoredList } from './form.rules.ts';

/** The description of a moved transaction, which contains the original and the new date. */
const mentionsMove = `t.description = format('The date was changed from %s to %s, because %1$s lies outside the open statement period.',
  t.sent ->> 'transaction_date', t.transaction_date)`;
const moved = { code: 'transaction_moved', sql: mentionsMove } as const;

/** The transactions of an account. Each row stores the sent text, with which it is compared. */
export const transactionList: StoredList = {
  member: 'transactions',
  table: 'transaction',
  fields: [
    ...fields('transaction_id', 'type', 'reason', 'display_note', 'note', 'reference', 'payment_type', 'product_code'),
    field('transaction_date', 'text', { reason: moved }),
    field('amount', 'decimal', { sum: 'transactions' }),
    empty('description', { reason: moved }),
  ],
  lists: [
    {
      member: 'line_items',
      table: 'transaction_line_item',
      parent: 'transaction_position',
      fields: [
        ...fields('start_date', 'end_date', 'rate_band'),
        field('number_of_units', 'decimal'),
        field('net_amount', 'decimal'),
        field('price_per_unit', 'decimal'),
        field('units', 'decimals'),
      ],
    },
    {
      member: 'tax_items',
      table: 'transaction_tax_item',
      parent: 'transaction_position',
      fields: [
        ...fields('tax_type', 'unit_type'),
        field('amount', 'decimal'),
        field('value_taxed', 'decimal'),
        field('rate', 'decimal'),
      ],
    },
  ],
};
