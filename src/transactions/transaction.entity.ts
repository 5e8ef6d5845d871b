import { defineEntity, p } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** A transaction of an account. `transactionDate` may have been moved into the open statement period; `sent` never changes. */
export const Transaction = defineEntity({
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
    /** The job whose line added it. */
    importJobId: p.uuid().nullable().comment(KEPT),
  },
});

/** A line of a supply charge; both ends of its period are inclusive. */
export const TransactionLineItem = defineEntity({
  name: 'TransactionLineItem',
  tableName: 'transaction_line_item',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    transactionPosition: p.integer().comment(KEPT),
    startDate: p.date().comment(KEPT),
    endDate: p.date().comment(KEPT),
    numberOfUnits: p.decimal('string').comment(KEPT),
    netAmount: p.decimal('string').comment(KEPT),
    pricePerUnit: p.decimal('string').nullable().comment(KEPT),
    rateBand: p.text().nullable().comment(KEPT),
    units: p.array().columnType('numeric[]').nullable().comment(KEPT),
  },
});

/** A tax on a supply charge. */
export const TransactionTaxItem = defineEntity({
  name: 'TransactionTaxItem',
  tableName: 'transaction_tax_item',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    transactionPosition: p.integer().comment(KEPT),
    amount: p.decimal('string').comment(KEPT),
    taxType: p.text().comment(KEPT),
    valueTaxed: p.decimal('string').nullable().comment(KEPT),
    rate: p.decimal('string').nullable().comment(KEPT),
    unitType: p.text().nullable().comment(KEPT),
  },
});
