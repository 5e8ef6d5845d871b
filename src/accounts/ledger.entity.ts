import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const LedgerSchema = defineEntity({
  name: 'Ledger',
  tableName: 'ledger',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    ledgerCode: p.text().comment(KEPT),
  },
});

/** A supplementary ledger of an account. */
export class Ledger extends LedgerSchema.class {}
LedgerSchema.setClass(Ledger);
