import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountBusinessDetailSchema = defineEntity({
  name: 'AccountBusinessDetail',
  tableName: 'account_business_detail',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    key: p.text().name('key'),
    value: p.text().name('value'),
  },
});

/** A key and value of the business named in an account payload. */
export class AccountBusinessDetail extends AccountBusinessDetailSchema.class {}
AccountBusinessDetailSchema.setClass(AccountBusinessDetail);
