import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SwitchChangeSchema = defineEntity({
  name: 'SwitchChange',
  tableName: 'switch_change',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    pointPosition: p.integer(),
    statusBefore: p.text(),
    statusAfter: p.text(),
    messageId: p.text(),
    changedAt: p.datetime(),
  },
});

/** A change of a point's state, and the event that made it. */
export class SwitchChange extends SwitchChangeSchema.class {}
SwitchChangeSchema.setClass(SwitchChange);
