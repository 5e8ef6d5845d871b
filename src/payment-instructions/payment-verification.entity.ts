import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentVerificationSchema = defineEntity({
  name: 'PaymentVerification',
  tableName: 'payment_verification',
  properties: {
    id: p.uuid().primary(),
    accountId: p.uuid(),
    workflowId: p.text(),
    vendor: p.text(),
    type: p.text(),
    reference: p.text(),
    requestedAt: p.datetime(),
    outcome: p.text().nullable(),
    reason: p.text().nullable(),
    completedAt: p.datetime().nullable(),
    pointPosition: p.integer().nullable(),
    apiKeyId: p.uuid().nullable(),
  },
});

/** A question to a payment vendor and what came of it. The row holds the reference, so that no workflow has to. */
export class PaymentVerification extends PaymentVerificationSchema.class {}
PaymentVerificationSchema.setClass(PaymentVerification);
