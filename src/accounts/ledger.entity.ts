import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LedgerSchema = defineEntity({
  name: 'Ledger',
  tableName: 'ledger',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    ledgerCode: p.text().name('ledger_code'),
  },
});

/** A supplementary ledger of an account. */
export class Ledger extends LedgerSchema.class {}
LedgerSchema.setClass(Ledger);
