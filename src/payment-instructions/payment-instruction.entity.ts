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
    verificationId: p.uuid().name('verification_id').nullable(),
    verifiedAt: p.datetime().name('verified_at').nullable(),
    replacedAt: p.datetime().name('replaced_at').nullable(),
  },
});

/** A mandate or card at a payment vendor: from the account's payload, or verified by operation 7; in force until it is replaced. */
export class PaymentInstruction extends PaymentInstructionSchema.class {}
PaymentInstructionSchema.setClass(PaymentInstruction);
