import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const TransactionTaxItemSchema = defineEntity({
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

/** A tax on a supply charge. */
export class TransactionTaxItem extends TransactionTaxItemSchema.class {}
TransactionTaxItemSchema.setClass(TransactionTaxItem);
