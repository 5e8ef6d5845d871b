import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const BusinessDetailSchema = defineEntity({
  name: 'BusinessDetail',
  tableName: 'business_detail',
  properties: {
    businessId: p.uuid().name('business_id').primary(),
    position: p.integer().name('position').primary(),
    key: p.text().name('key'),
    value: p.text().name('value'),
  },
});

/** A key and value that a business brought along. */
export class BusinessDetail extends BusinessDetailSchema.class {}
BusinessDetailSchema.setClass(BusinessDetail);
