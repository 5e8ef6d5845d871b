import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** A creation in progress while the concurrency limit is on. Deleted by the transaction that creates or refuses the account. */
export const CreationSlot = defineEntity({
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
export type CreationSlot = InferEntity<typeof CreationSlot>;

export type CreationSlotTable = InferKyselyDB<typeof CreationSlot>;

/** An import supplier that got a 429 and is expected to retry; the next free slot is kept for it. */
export const CreationSlotWait = defineEntity({
  name: 'CreationSlotWait',
  tableName: 'creation_slot_wait',
  properties: { importSupplier: p.text().primary(), since: p.datetime(), askedAt: p.datetime() },
});
