import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EnergyChequeSchema = defineEntity({
  name: 'EnergyCheque',
  tableName: 'energy_cheque',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    ledgerPosition: p.integer().name('ledger_position'),
    number: p.text().name('number'),
    amount: p.bigint('string').name('amount'),
    protectionFrom: p.date().name('protection_from').nullable(),
    protectionTo: p.date().name('protection_to').nullable(),
    validTo: p.date().name('valid_to').nullable(),
    source: p.text().name('source').nullable(),
    status: p.text().name('status').nullable(),
    aspRemittanceRef: p.text().name('asp_remittance_ref').nullable(),
  },
});

/** An energy cheque in a supplementary ledger. */
export class EnergyCheque extends EnergyChequeSchema.class {}
EnergyChequeSchema.setClass(EnergyCheque);
