import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ThrottleSchema = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    networkOperator: p.text().name('network_operator').primary(),
    requestsPerSecond: p.decimal().name('requests_per_second'),
    requestsPerHour: p.decimal().name('requests_per_hour'),
    reason: p.text().name('reason').nullable(),
    blockedUntil: p.datetime().name('blocked_until'),
    answeredAt: p.datetime().name('answered_at'),
    updatedAt: p.datetime().name('updated_at'),
    lastSlotAt: p.datetime().name('last_slot_at'),
    lastTaker: p.uuid().name('last_taker').nullable(),
    lastDoubtMs: p.double().name('last_doubt_ms'),
  },
});

/** Speed of the calls to one network operator. */
export class Throttle extends ThrottleSchema.class {}
ThrottleSchema.setClass(Throttle);
