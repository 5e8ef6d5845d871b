import { defineEntity } from '@mikro-orm/core';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';

const p = defineEntity.properties;

const RetentionSchema = defineEntity({
  name: 'Retention',
  tableName: 'retention',
  properties: {
    class: p.text().$type<RetentionClass>().primary(),
    position: p.json<string[]>().nullable(),
    deleted: p.bigint('string'),
    deletedBefore: p.bigint('string'),
    startedAt: p.datetime(),
    completedAt: p.datetime(),
  },
});

/** How far the deletion of a class of personal data is: what was deleted, and when all that was due was gone. */
export class Retention extends RetentionSchema.class {}
RetentionSchema.setClass(Retention);
