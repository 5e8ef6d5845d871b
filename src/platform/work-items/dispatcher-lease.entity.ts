import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const DispatcherLeaseSchema = defineEntity({
  name: 'DispatcherLease',
  tableName: 'dispatcher_lease',
  properties: {
    name: p.text().name('name').primary(),
    fencingNumber: p.bigint().name('fencing_number').default('0'),
    holder: p.text().name('holder').nullable(),
    heldSince: p.datetime().name('held_since').nullable(),
    heldUntil: p.datetime().name('held_until').defaultRaw('now()'),
    lastSweptAt: p.datetime().name('last_swept_at').nullable(),
  },
});

/** Which process starts due work; one row. */
export class DispatcherLease extends DispatcherLeaseSchema.class {}
DispatcherLeaseSchema.setClass(DispatcherLease);
