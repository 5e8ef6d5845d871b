import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentPreferenceSchema = defineEntity({
  name: 'PaymentPreference',
  tableName: 'payment_preference',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    pointPosition: p.integer(),
    type: p.text(),
    vendorName: p.text().nullable(),
    vendorReference: p.text().nullable(),
  },
});

/** How a supply point wants to be paid for. */
export class PaymentPreference extends PaymentPreferenceSchema.class {}
PaymentPreferenceSchema.setClass(PaymentPreference);
