import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transaction',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    transactionId: p.text().comment(KEPT),
    transactionDate: p.date().comment(KEPT),
    amount: p.decimal('string').comment(KEPT),
    type: p.text().comment(KEPT),
    reason: p.text().nullable().comment(PERSONAL),
    displayNote: p.text().nullable().comment(PERSONAL),
    note: p.text().nullable().comment(PERSONAL),
    reference: p.text().nullable().comment(KEPT),
    paymentType: p.text().nullable().comment(KEPT),
    productCode: p.text().nullable().comment(KEPT),
    description: p.text().nullable().comment(KEPT),
    sent: p.json().comment(PERSONAL),
    createdAt: p.datetime().comment(KEPT),
  },
});

/** A movement on an account; `transactionDate` may have been moved into the open statement period, `sent` is never changed. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
