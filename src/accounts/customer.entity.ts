import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    title: p.text().nullable(),
    givenName: p.text().nullable(),
    familyName: p.text().nullable(),
    email: p.text().nullable(),
    mobile: p.text().nullable(),
    mobileE164: p.text().nullable(),
    landline: p.text().nullable(),
    landlineE164: p.text().nullable(),
    dateOfBirth: p.date().nullable(),
    deceased: p.text().nullable(),
    optedIntoUpdates: p.boolean().nullable(),
    optedIntoSms: p.boolean().nullable(),
    optedIntoOffers: p.boolean().nullable(),
    optedIntoRecommended: p.boolean().nullable(),
  },
});

/** A person of an account; phone numbers as sent and in E.164. */
export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);
