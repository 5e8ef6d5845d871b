import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionTaxItemSchema = defineEntity({
  name: 'TransactionTaxItem',
  tableName: 'transaction_tax_item',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    transactionPosition: p.integer(),
    amount: p.decimal('string'),
    taxType: p.text(),
    valueTaxed: p.decimal('string').nullable(),
    rate: p.decimal('string').nullable(),
    unitType: p.text().nullable(),
  },
});

/** A tax on a supply charge. */
export class TransactionTaxItem extends TransactionTaxItemSchema.class {}
TransactionTaxItemSchema.setClass(TransactionTaxItem);
