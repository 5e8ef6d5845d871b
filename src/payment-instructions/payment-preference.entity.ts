import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentPreferenceSchema = defineEntity({
  name: 'PaymentPreference',
  tableName: 'payment_preference',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    pointPosition: p.integer().name('point_position'),
    type: p.text().name('type'),
    vendorName: p.text().name('vendor_name').nullable(),
    vendorReference: p.text().name('vendor_reference').nullable(),
  },
});

/** How a supply point wants to be paid for. */
export class PaymentPreference extends PaymentPreferenceSchema.class {}
PaymentPreferenceSchema.setClass(PaymentPreference);
