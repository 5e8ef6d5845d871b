import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';

/** Progress of the deletion of a class of personal data: the number of deletions, and when nothing more was due. */
export const Retention = defineEntity({
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
