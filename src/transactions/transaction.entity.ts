import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transaction',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    transactionId: p.text().name('transaction_id'),
    transactionDate: p.date().name('transaction_date'),
    amount: p.decimal('string').name('amount'),
    type: p.text().name('type'),
    reason: p.text().name('reason').nullable(),
    displayNote: p.text().name('display_note').nullable(),
    note: p.text().name('note').nullable(),
    reference: p.text().name('reference').nullable(),
    paymentType: p.text().name('payment_type').nullable(),
    productCode: p.text().name('product_code').nullable(),
    description: p.text().name('description').nullable(),
    sent: p.json().name('sent'),
    createdAt: p.datetime().name('created_at'),
  },
});

/** A movement on an account; `transactionDate` may have been moved into the open statement period, `sent` is never changed. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
