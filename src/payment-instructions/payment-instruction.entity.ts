import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const PaymentInstructionSchema = defineEntity({
  name: 'PaymentInstruction',
  tableName: 'payment_instruction',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().nullable().comment(KEPT),
    vendor: p.text().comment(KEPT),
    reference: p.text().comment(KEPT),
    type: p.text().comment(KEPT),
    validFrom: p.date().nullable().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
    verificationId: p.uuid().nullable().comment(KEPT),
    verifiedAt: p.datetime().nullable().comment(KEPT),
    replacedAt: p.datetime().nullable().comment(KEPT),
  },
});

/** A mandate or card at a payment vendor, from an account payload or verified by operation 7. It is in force until it is replaced. */
export class PaymentInstruction extends PaymentInstructionSchema.class {}
PaymentInstructionSchema.setClass(PaymentInstruction);

/** The table as Kysely knows it. */
export type PaymentInstructionTable = InferKyselyDB<typeof PaymentInstructionSchema>;
