import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountBusinessDetailSchema = defineEntity({
  name: 'AccountBusinessDetail',
  tableName: 'account_business_detail',
  properties: { accountId: p.uuid().primary(), position: p.integer().primary(), key: p.text(), value: p.text() },
});

/** A key and value of the business named in an account payload. */
export class AccountBusinessDetail extends AccountBusinessDetailSchema.class {}
AccountBusinessDetailSchema.setClass(AccountBusinessDetail);
