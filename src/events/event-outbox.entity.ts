import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EventOutboxSchema = defineEntity({
  name: 'EventOutbox',
  tableName: 'event_outbox',
  properties: {
    number: p.bigint('string').primary(),
    id: p.uuid(),
    importSupplier: p.text(),
    organisation: p.text().nullable(),
    type: p.text(),
    subject: p.text(),
    data: p.json<Record<string, unknown>>(),
    occurredAt: p.datetime(),
  },
});

/** An event as the transaction that made it true has written it, until it has a position. */
export class EventOutbox extends EventOutboxSchema.class {}
EventOutboxSchema.setClass(EventOutbox);
