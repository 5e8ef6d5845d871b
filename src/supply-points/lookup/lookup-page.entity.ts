import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LookupPageSchema = defineEntity({
  name: 'LookupPage',
  tableName: 'look_up_page',
  properties: {
    id: p.uuid().primary(),
    networkOperator: p.text(),
    lookupIds: p.array().columnType('bigint[]').name('look_up_ids'),
    heldBy: p.uuid(),
    takenAt: p.datetime(),
  },
});

/** A page of lookups under way. */
export class LookupPage extends LookupPageSchema.class {}
LookupPageSchema.setClass(LookupPage);
