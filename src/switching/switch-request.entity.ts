import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SwitchRequestSchema = defineEntity({
  name: 'SwitchRequest',
  tableName: 'switch_request',
  properties: {
    requestId: p.uuid().name('request_id').primary(),
    accountId: p.uuid().name('account_id'),
    pointPosition: p.integer().name('point_position'),
    round: p.integer().name('round'),
    requestedAt: p.datetime().name('requested_at'),
    answeredAt: p.datetime().name('answered_at').nullable(),
    answer: p.text().name('answer').nullable(),
  },
});

/** A request to the network operator to switch one point; one per round. */
export class SwitchRequest extends SwitchRequestSchema.class {}
SwitchRequestSchema.setClass(SwitchRequest);
