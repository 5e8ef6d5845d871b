import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT } from '../platform/database/personal-columns.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import type { VerificationOutcome } from './payment-instruction.rules.ts';

/** A mandate or card at a payment vendor, from an account payload or verified by operation 7. It is in force until it is replaced. */
export const PaymentInstruction = defineEntity({
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
    createdAt: p.datetime().defaultRaw('now()').comment(KEPT),
    verificationId: p.uuid().nullable().comment(KEPT),
    verifiedAt: p.datetime().nullable().comment(KEPT),
    replacedAt: p.datetime().nullable().comment(KEPT),
  },
});

export type PaymentInstructionTable = InferKyselyDB<typeof PaymentInstruction>;

/** A verification by a payment vendor with its outcome. The row stores the reference, so that no workflow history contains it. */
export const PaymentVerification = defineEntity({
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
    /** Whether a line of an import job requested it. */
    isOfJob: p.boolean().default(false).comment(KEPT),
    importJobId: p.uuid().nullable().comment(KEPT),
  },
});
export type PaymentVerification = InferEntity<typeof PaymentVerification>;

export type PaymentVerificationTable = InferKyselyDB<typeof PaymentVerification>;

/** The preferred payment of a supply point. */
export const PaymentPreference = defineEntity({
  name: 'PaymentPreference',
  tableName: 'payment_preference',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    type: p.text().comment(KEPT),
    vendorName: p.text().nullable().comment(KEPT),
    vendorReference: p.text().nullable().comment(KEPT),
  },
});

/** A payment vendor whose circuit breaker is open until a time, shared by the processes. */
export const PaymentVendorRest = defineEntity({
  name: 'PaymentVendorRest',
  tableName: 'payment_vendor_rest',
  properties: { vendor: p.text().primary(), endsAt: p.datetime() },
});

export type PaymentVendorRestTable = InferKyselyDB<typeof PaymentVendorRest>;
