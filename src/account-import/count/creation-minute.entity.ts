import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CreationMinuteSchema = defineEntity({
  name: 'CreationMinute',
  tableName: 'creation_minute',
  properties: { minute: p.datetime().primary(), importSupplier: p.text().primary(), created: p.integer() },
});

/** How many accounts of an import supplier were created in a minute; kept for a day. */
export class CreationMinute extends CreationMinuteSchema.class {}
CreationMinuteSchema.setClass(CreationMinute);
