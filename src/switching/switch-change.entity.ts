import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const SwitchChangeSchema = defineEntity({
  name: 'SwitchChange',
  tableName: 'switch_change',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    statusBefore: p.text().comment(KEPT),
    statusAfter: p.text().comment(KEPT),
    messageId: p.text().comment(KEPT),
    changedAt: p.datetime().comment(KEPT),
  },
});

/** A change of a point's state, with the event that caused it. */
export class SwitchChange extends SwitchChangeSchema.class {}
SwitchChangeSchema.setClass(SwitchChange);
