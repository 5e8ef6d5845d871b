import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const DispatcherLeaseSchema = defineEntity({
  name: 'DispatcherLease',
  tableName: 'dispatcher_lease',
  properties: {
    name: p.text().primary(),
    fencingNumber: p.bigint('string').default('0'),
    holder: p.text().nullable(),
    heldSince: p.datetime().nullable(),
    heldUntil: p.datetime().defaultRaw('now()'),
    lastSweptAt: p.datetime().nullable(),
  },
});

/** The process that starts due work, in one row. */
export class DispatcherLease extends DispatcherLeaseSchema.class {}
DispatcherLeaseSchema.setClass(DispatcherLease);

export type DispatcherLeaseTable = InferKyselyDB<typeof DispatcherLeaseSchema>;
