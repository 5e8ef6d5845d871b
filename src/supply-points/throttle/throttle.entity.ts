import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ThrottleSchema = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    networkOperator: p.text().primary(),
    requestsPerSecond: p.decimal(),
    requestsPerHour: p.decimal(),
    reason: p.text().nullable(),
    blockedUntil: p.datetime(),
    answeredAt: p.datetime(),
    updatedAt: p.datetime(),
    lastSlotAt: p.datetime(),
    lastTaker: p.uuid().nullable(),
    lastDoubtMs: p.double(),
  },
});

/** Speed of the calls to one network operator. */
export class Throttle extends ThrottleSchema.class {}
ThrottleSchema.setClass(Throttle);
