import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const CreationSlotSchema = defineEntity({
  name: 'CreationSlot',
  tableName: 'creation_slot',
  properties: {
    creationId: p.uuid().primary(),
    importProcessId: p.uuid().nullable(),
    importSupplier: p.text().nullable(),
    workflowId: p.text().nullable(),
    takenAt: p.datetime().defaultRaw('now()'),
  },
});

/** A creation in progress while the concurrency limit is on. Deleted by the transaction that creates or refuses the account. */
export class CreationSlot extends CreationSlotSchema.class {}
CreationSlotSchema.setClass(CreationSlot);

export type CreationSlotTable = InferKyselyDB<typeof CreationSlotSchema>;

const CreationSlotWaitSchema = defineEntity({
  name: 'CreationSlotWait',
  tableName: 'creation_slot_wait',
  properties: { importSupplier: p.text().primary(), since: p.datetime(), askedAt: p.datetime() },
});

/** An import supplier that got a 429 and is expected to retry; the next free slot is kept for it. */
export class CreationSlotWait extends CreationSlotWaitSchema.class {}
CreationSlotWaitSchema.setClass(CreationSlotWait);
