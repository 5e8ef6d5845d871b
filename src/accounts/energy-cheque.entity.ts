import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EnergyChequeSchema = defineEntity({
  name: 'EnergyCheque',
  tableName: 'energy_cheque',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    ledgerPosition: p.integer(),
    number: p.text(),
    amount: p.bigint('string'),
    protectionFrom: p.date().nullable(),
    protectionTo: p.date().nullable(),
    validTo: p.date().nullable(),
    source: p.text().nullable(),
    status: p.text().nullable(),
    aspRemittanceRef: p.text().nullable(),
  },
});

/** An energy cheque in a supplementary ledger. */
export class EnergyCheque extends EnergyChequeSchema.class {}
EnergyChequeSchema.setClass(EnergyCheque);
