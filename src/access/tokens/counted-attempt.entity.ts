import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CountedAttemptSchema = defineEntity({
  name: 'CountedAttempt',
  tableName: 'counted_attempt',
  properties: { bucket: p.blob().$type<Buffer>().primary(), count: p.integer(), endsAt: p.datetime() },
});

/** Number of attempts within a minute over all processes. The bucket is a hash of what was attempted. */
export class CountedAttempt extends CountedAttemptSchema.class {}
CountedAttemptSchema.setClass(CountedAttempt);
