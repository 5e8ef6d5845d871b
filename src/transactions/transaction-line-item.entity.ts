import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const TransactionLineItemSchema = defineEntity({
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

/** A line of a supply charge; both ends of its period are inclusive. */
export class TransactionLineItem extends TransactionLineItemSchema.class {}
TransactionLineItemSchema.setClass(TransactionLineItem);
