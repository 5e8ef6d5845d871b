import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EventEndpointSchema = defineEntity({
  name: 'EventEndpoint',
  tableName: 'event_endpoint',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    /** Whose jobs and batches are told too; null: of none. */
    organisation: p.text().nullable(),
    url: p.text(),
    secret: p.text(),
    oldSecret: p.text().nullable(),
    oldSecretUntil: p.datetime().nullable(),
    /** All events up to here are delivered. */
    position: p.bigint('string'),
    deliveredAt: p.datetime().nullable(),
    failingSince: p.datetime().nullable(),
    failure: p.text().nullable(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    endedBecause: p.text().$type<'gone' | 'removed'>().nullable(),
  },
});

/** An address of an import supplier that its events are delivered to. */
export class EventEndpoint extends EventEndpointSchema.class {}
EventEndpointSchema.setClass(EventEndpoint);
