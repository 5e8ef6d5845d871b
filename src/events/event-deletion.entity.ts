import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EventDeletionSchema = defineEntity({
  name: 'EventDeletion',
  tableName: 'event_deletion',
  properties: { importSupplier: p.text().primary(), position: p.bigint('string') },
});

/** Up to where the events of an import supplier were deleted for their age. */
export class EventDeletion extends EventDeletionSchema.class {}
EventDeletionSchema.setClass(EventDeletion);
