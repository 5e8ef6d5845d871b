import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CreationSlotWaitSchema = defineEntity({
  name: 'CreationSlotWait',
  tableName: 'creation_slot_wait',
  properties: { importSupplier: p.text().primary(), since: p.datetime(), askedAt: p.datetime() },
});

/** An import supplier that got 429 and is expected back; the next free slot is kept for it. */
export class CreationSlotWait extends CreationSlotWaitSchema.class {}
CreationSlotWaitSchema.setClass(CreationSlotWait);
