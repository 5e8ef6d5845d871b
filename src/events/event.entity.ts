import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { EventType } from '../vocabulary/events.ts';

/** An event that can be read and delivered. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    importSupplier: p.text().primary(),
    position: p.bigint('string').primary(),
    id: p.uuid(),
    /** Only keys of this organisation may see it; null: all keys of the import supplier. */
    organisation: p.text().nullable(),
    type: p.text().$type<EventType>(),
    subject: p.text(),
    data: p.json<Record<string, unknown>>(),
    occurredAt: p.datetime(),
  },
});

/** An event without a position yet, written by the transaction of the change that it reports. */
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

/** A single row with the last assigned position. */
export const EventSequence = defineEntity({
  name: 'EventSequence',
  tableName: 'event_sequence',
  properties: { name: p.text().primary(), position: p.bigint('string') },
});

/** The position up to which events of an import supplier were deleted because of their age. */
export const EventDeletion = defineEntity({
  name: 'EventDeletion',
  tableName: 'event_deletion',
  properties: { importSupplier: p.text().primary(), position: p.bigint('string') },
});

/** An address to which events of an import supplier are delivered. */
export const EventEndpoint = defineEntity({
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
export type EventEndpoint = InferEntity<typeof EventEndpoint>;

export type EventEndpointTable = InferKyselyDB<typeof EventEndpoint>;
export type EventTable = InferKyselyDB<typeof Event>;
export type EventDeletionTable = InferKyselyDB<typeof EventDeletion>;
