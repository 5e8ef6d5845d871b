import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const PaymentPreferenceSchema = defineEntity({
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

/** The preferred payment of a supply point. */
export class PaymentPreference extends PaymentPreferenceSchema.class {}
PaymentPreferenceSchema.setClass(PaymentPreference);
