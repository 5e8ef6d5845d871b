import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const PaymentInstructionSchema = defineEntity({
  name: 'PaymentInstruction',
  tableName: 'payment_instruction',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    pointPosition: p.integer().nullable(),
    vendor: p.text(),
    reference: p.text(),
    type: p.text(),
    validFrom: p.date().nullable(),
    createdAt: p.datetime(),
    verificationId: p.uuid().nullable(),
    verifiedAt: p.datetime().nullable(),
    replacedAt: p.datetime().nullable(),
  },
});

/** A mandate or card at a payment vendor: from the account's payload, or verified by operation 7; in force until it is replaced. */
export class PaymentInstruction extends PaymentInstructionSchema.class {}
PaymentInstructionSchema.setClass(PaymentInstruction);

/** The table as Kysely knows it. */
export type PaymentInstructionTable = InferKyselyDB<typeof PaymentInstructionSchema>;
