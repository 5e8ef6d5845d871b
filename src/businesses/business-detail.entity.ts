import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const BusinessDetailSchema = defineEntity({
  name: 'BusinessDetail',
  tableName: 'business_detail',
  properties: {
    businessId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    key: p.text().comment(KEPT),
    value: p.text().comment(PERSONAL),
  },
});

/** A key and value that a business brought along. */
export class BusinessDetail extends BusinessDetailSchema.class {}
BusinessDetailSchema.setClass(BusinessDetail);
