import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    importSupplier: p.text().primary(),
    position: p.bigint('string').primary(),
    id: p.uuid(),
    /** Whose keys alone may see it; null: all of its import supplier. */
    organisation: p.text().nullable(),
    type: p.text(),
    subject: p.text(),
    data: p.json<Record<string, unknown>>(),
    occurredAt: p.datetime(),
  },
});

/** An event as it is read and delivered. */
export class Event extends EventSchema.class {}
EventSchema.setClass(Event);
