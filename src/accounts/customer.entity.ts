import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    title: p.text().name('title').nullable(),
    givenName: p.text().name('given_name').nullable(),
    familyName: p.text().name('family_name').nullable(),
    email: p.text().name('email').nullable(),
    mobile: p.text().name('mobile').nullable(),
    mobileE164: p.text().name('mobile_e164').nullable(),
    landline: p.text().name('landline').nullable(),
    landlineE164: p.text().name('landline_e164').nullable(),
    dateOfBirth: p.date().name('date_of_birth').nullable(),
    deceased: p.text().name('deceased').nullable(),
    optedIntoUpdates: p.boolean().name('opted_into_updates').nullable(),
    optedIntoSms: p.boolean().name('opted_into_sms').nullable(),
    optedIntoOffers: p.boolean().name('opted_into_offers').nullable(),
    optedIntoRecommended: p.boolean().name('opted_into_recommended').nullable(),
  },
});

/** A person of an account; phone numbers as sent and in E.164. */
export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);
