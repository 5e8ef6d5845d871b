import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SwitchChangeSchema = defineEntity({
  name: 'SwitchChange',
  tableName: 'switch_change',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    pointPosition: p.integer().name('point_position'),
    statusBefore: p.text().name('status_before'),
    statusAfter: p.text().name('status_after'),
    messageId: p.text().name('message_id'),
    changedAt: p.datetime().name('changed_at'),
  },
});

/** A change of a point's state, and what was said that made it. */
export class SwitchChange extends SwitchChangeSchema.class {}
SwitchChangeSchema.setClass(SwitchChange);
