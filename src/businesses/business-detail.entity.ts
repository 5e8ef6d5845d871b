import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const BusinessDetailSchema = defineEntity({
  name: 'BusinessDetail',
  tableName: 'business_detail',
  properties: { businessId: p.uuid().primary(), position: p.integer().primary(), key: p.text(), value: p.text() },
});

/** A key and value that a business brought along. */
export class BusinessDetail extends BusinessDetailSchema.class {}
BusinessDetailSchema.setClass(BusinessDetail);
