import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentVerificationSchema = defineEntity({
  name: 'PaymentVerification',
  tableName: 'payment_verification',
  properties: {
    id: p.uuid().name('id').primary(),
    accountId: p.uuid().name('account_id'),
    workflowId: p.text().name('workflow_id'),
    vendor: p.text().name('vendor'),
    type: p.text().name('type'),
    reference: p.text().name('reference'),
    requestedAt: p.datetime().name('requested_at'),
    outcome: p.text().name('outcome').nullable(),
    reason: p.text().name('reason').nullable(),
    settledAt: p.datetime().name('settled_at').nullable(),
    pointPosition: p.integer().name('point_position').nullable(),
    apiKeyId: p.uuid().name('api_key_id').nullable(),
  },
});

/** A question to a payment vendor and what came of it. The row holds the reference, so that no workflow has to. */
export class PaymentVerification extends PaymentVerificationSchema.class {}
PaymentVerificationSchema.setClass(PaymentVerification);
