import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const EnergyChequeSchema = defineEntity({
  name: 'EnergyCheque',
  tableName: 'energy_cheque',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    ledgerPosition: p.integer().comment(KEPT),
    number: p.text().comment(KEPT),
    amount: p.bigint('string').comment(KEPT),
    protectionFrom: p.date().nullable().comment(KEPT),
    protectionTo: p.date().nullable().comment(KEPT),
    validTo: p.date().nullable().comment(KEPT),
    source: p.text().nullable().comment(KEPT),
    status: p.text().nullable().comment(KEPT),
    aspRemittanceRef: p.text().nullable().comment(KEPT),
  },
});

/** An energy cheque in a supplementary ledger. */
export class EnergyCheque extends EnergyChequeSchema.class {}
EnergyChequeSchema.setClass(EnergyCheque);
