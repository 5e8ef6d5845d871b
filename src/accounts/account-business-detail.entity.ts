import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountBusinessDetailSchema = defineEntity({
  name: 'AccountBusinessDetail',
  tableName: 'account_business_detail',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    key: p.text().comment(KEPT),
    value: p.text().comment(PERSONAL),
  },
});

/** A key and value of the business named in an account payload. */
export class AccountBusinessDetail extends AccountBusinessDetailSchema.class {}
AccountBusinessDetailSchema.setClass(AccountBusinessDetail);
