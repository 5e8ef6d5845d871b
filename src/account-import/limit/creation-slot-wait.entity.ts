import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CreationSlotWaitSchema = defineEntity({
  name: 'CreationSlotWait',
  tableName: 'creation_slot_wait',
  properties: { importSupplier: p.text().primary(), since: p.datetime(), askedAt: p.datetime() },
});

/** An import supplier that was told that no slot is free, and is expected back; the next free slot may be kept for it. */
export class CreationSlotWait extends CreationSlotWaitSchema.class {}
CreationSlotWaitSchema.setClass(CreationSlotWait);
