import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const EventSequenceSchema = defineEntity({
  name: 'EventSequence',
  tableName: 'event_sequence',
  properties: { name: p.text().primary(), position: p.bigint('string') },
});

/** The one row that tells which position was given last. */
export class EventSequence extends EventSequenceSchema.class {}
EventSequenceSchema.setClass(EventSequence);
