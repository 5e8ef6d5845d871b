import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import type { VerificationOutcome } from './payment-instruction.rules.ts';

const p = defineEntity.properties;

const PaymentVerificationSchema = defineEntity({
  name: 'PaymentVerification',
  tableName: 'payment_verification',
  properties: {
    id: p.uuid().primary(),
    accountId: p.uuid(),
    workflowId: p.text(),
    vendor: p.text().$type<PaymentVendor>(),
    type: p.text().$type<PaymentInstructionType>(),
    reference: p.text(),
    requestedAt: p.datetime().defaultRaw('now()'),
    outcome: p.text().$type<VerificationOutcome['kind']>().nullable(),
    reason: p.text().nullable(),
    completedAt: p.datetime().nullable(),
    pointPosition: p.integer().nullable(),
    apiKeyId: p.uuid().nullable(),
    /** Requested by a line of an import job. */
    isOfJob: p.boolean().default(false),
  },
});

/** A question to a payment vendor and what came of it. The row holds the reference, so that no workflow has to. */
export class PaymentVerification extends PaymentVerificationSchema.class {}
PaymentVerificationSchema.setClass(PaymentVerification);

/** The table as Kysely knows it. */
export type PaymentVerificationTable = InferKyselyDB<typeof PaymentVerificationSchema>;
