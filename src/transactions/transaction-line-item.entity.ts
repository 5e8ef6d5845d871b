import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionLineItemSchema = defineEntity({
  name: 'TransactionLineItem',
  tableName: 'transaction_line_item',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    transactionPosition: p.integer().name('transaction_position'),
    startDate: p.date().name('start_date'),
    endDate: p.date().name('end_date'),
    numberOfUnits: p.decimal('string').name('number_of_units'),
    netAmount: p.decimal('string').name('net_amount'),
    pricePerUnit: p.decimal('string').name('price_per_unit').nullable(),
    rateBand: p.text().name('rate_band').nullable(),
    units: p.array().columnType('numeric[]').name('units').nullable(),
  },
});

/** A line of a supply charge; both ends of its period are inclusive. */
export class TransactionLineItem extends TransactionLineItemSchema.class {}
TransactionLineItemSchema.setClass(TransactionLineItem);
