import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import type { VerificationOutcome } from './payment-instruction.rules.ts';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const PaymentVerificationSchema = defineEntity({
  name: 'PaymentVerification',
  tableName: 'payment_verification',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    accountId: p.uuid().comment(KEPT),
    workflowId: p.text().comment(KEPT),
    vendor: p.text().$type<PaymentVendor>().comment(KEPT),
    type: p.text().$type<PaymentInstructionType>().comment(KEPT),
    reference: p.text().comment(KEPT),
    requestedAt: p.datetime().defaultRaw('now()').comment(KEPT),
    outcome: p.text().$type<VerificationOutcome['kind']>().nullable().comment(KEPT),
    reason: p.text().nullable().comment(KEPT),
    completedAt: p.datetime().nullable().comment(KEPT),
    pointPosition: p.integer().nullable().comment(KEPT),
    apiKeyId: p.uuid().nullable().comment(KEPT),
    /** Requested by a line of an import job. */
    isOfJob: p.boolean().default(false).comment(KEPT),
  },
});

/** A verification by a payment vendor with its outcome. The row stores the reference, so that no workflow history contains it. */
export class PaymentVerification extends PaymentVerificationSchema.class {}
PaymentVerificationSchema.setClass(PaymentVerification);

/** The table as Kysely knows it. */
export type PaymentVerificationTable = InferKyselyDB<typeof PaymentVerificationSchema>;
