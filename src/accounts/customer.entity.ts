import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    title: p.text().nullable().comment(PERSONAL),
    givenName: p.text().nullable().comment(PERSONAL),
    familyName: p.text().nullable().comment(PERSONAL),
    email: p.text().nullable().comment(PERSONAL),
    mobile: p.text().nullable().comment(PERSONAL),
    mobileE164: p.text().nullable().comment(PERSONAL),
    landline: p.text().nullable().comment(PERSONAL),
    landlineE164: p.text().nullable().comment(PERSONAL),
    dateOfBirth: p.date().nullable().comment(PERSONAL),
    deceased: p.text().nullable().comment(PERSONAL),
    optedIntoUpdates: p.boolean().nullable().comment(PERSONAL),
    optedIntoSms: p.boolean().nullable().comment(PERSONAL),
    optedIntoOffers: p.boolean().nullable().comment(PERSONAL),
    optedIntoRecommended: p.boolean().nullable().comment(PERSONAL),
  },
});

/** A person of an account; phone numbers as sent and in E.164. */
export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);
