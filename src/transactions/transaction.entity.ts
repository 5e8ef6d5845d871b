import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transaction',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    transactionId: p.text(),
    transactionDate: p.date(),
    amount: p.decimal('string'),
    type: p.text(),
    reason: p.text().nullable(),
    displayNote: p.text().nullable(),
    note: p.text().nullable(),
    reference: p.text().nullable(),
    paymentType: p.text().nullable(),
    productCode: p.text().nullable(),
    description: p.text().nullable(),
    sent: p.json(),
    createdAt: p.datetime(),
  },
});

/** A movement on an account; `transactionDate` may have been moved into the open statement period, `sent` is never changed. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
