import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const TransactionTaxItemSchema = defineEntity({
  name: 'TransactionTaxItem',
  tableName: 'transaction_tax_item',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    transactionPosition: p.integer().name('transaction_position'),
    amount: p.decimal('string').name('amount'),
    taxType: p.text().name('tax_type'),
    valueTaxed: p.decimal('string').name('value_taxed').nullable(),
    rate: p.decimal('string').name('rate').nullable(),
    unitType: p.text().name('unit_type').nullable(),
  },
});

/** A tax on a supply charge. */
export class TransactionTaxItem extends TransactionTaxItemSchema.class {}
TransactionTaxItemSchema.setClass(TransactionTaxItem);
