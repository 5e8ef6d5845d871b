import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentInstructionSchema = defineEntity({
  name: 'PaymentInstruction',
  tableName: 'payment_instruction',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    pointPosition: p.integer().name('point_position').nullable(),
    vendor: p.text().name('vendor'),
    reference: p.text().name('reference'),
    type: p.text().name('type'),
    validFrom: p.date().name('valid_from').nullable(),
    createdAt: p.datetime().name('created_at'),
  },
});

/** A mandate or card at a payment vendor. */
export class PaymentInstruction extends PaymentInstructionSchema.class {}
PaymentInstructionSchema.setClass(PaymentInstruction);
