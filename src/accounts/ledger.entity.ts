import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LedgerSchema = defineEntity({
  name: 'Ledger',
  tableName: 'ledger',
  properties: { accountId: p.uuid().primary(), position: p.integer().primary(), ledgerCode: p.text() },
});

/** A supplementary ledger of an account. */
export class Ledger extends LedgerSchema.class {}
LedgerSchema.setClass(Ledger);
