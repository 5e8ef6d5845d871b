import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** An event as it is read and delivered. */
export const Event = defineEntity({
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

/** An event as the transaction that made it true has written it, until it has a position. */
export const EventOutbox = defineEntity({
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

const EventSequenceSchema = defineEntity({
  name: 'EventSequence',
  tableName: 'event_sequence',
  properties: { name: p.text().primary(), position: p.bigint('string') },
});

/** The one row with the last position. */
export class EventSequence extends EventSequenceSchema.class {}
EventSequenceSchema.setClass(EventSequence);

/** Up to where the events of an import supplier were deleted for their age. */
export const EventDeletion = defineEntity({
  name: 'EventDeletion',
  tableName: 'event_deletion',
  properties: { importSupplier: p.text().primary(), position: p.bigint('string') },
});

const EventEndpointSchema = defineEntity({
  name: 'EventEndpoint',
  tableName: 'event_endpoint',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    /** The organisation whose jobs and batches are included; null: none. */
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

export type EventEndpointTable = InferKyselyDB<typeof EventEndpointSchema>;
export type EventTable = InferKyselyDB<typeof Event>;
