import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionLineItemSchema = defineEntity({
  name: 'TransactionLineItem',
  tableName: 'transaction_line_item',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    transactionPosition: p.integer(),
    startDate: p.date(),
    endDate: p.date(),
    numberOfUnits: p.decimal('string'),
    netAmount: p.decimal('string'),
    pricePerUnit: p.decimal('string').nullable(),
    rateBand: p.text().nullable(),
    units: p.array().columnType('numeric[]').nullable(),
  },
});

/** A line of a supply charge; both ends of its period are inclusive. */
export class TransactionLineItem extends TransactionLineItemSchema.class {}
TransactionLineItemSchema.setClass(TransactionLineItem);
