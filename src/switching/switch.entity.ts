import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { MarketOutcome, SwitchStatus } from '../vocabulary/switch-statuses.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const MarketMessageSchema = defineEntity({
  name: 'MarketMessage',
  tableName: 'market_message',
  properties: {
    messageId: p.text().primary().comment(KEPT),
    source: p.text().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalAccountNumber: p.text().comment(KEPT),
    supplyPointIdentifier: p.text().nullable().comment(KEPT),
    outcome: p.text().$type<MarketOutcome>().nullable().comment(KEPT),
    status: p.text().$type<SwitchStatus>().nullable().comment(KEPT),
    occurredAt: p.datetime().comment(KEPT),
    reason: p.text().nullable().comment(PERSONAL),
    receivedAt: p.datetime().defaultRaw('clock_timestamp()').comment(KEPT),
    effect: p.text().default('waiting').comment(KEPT),
    effectDetail: p.text().nullable().comment(PERSONAL),
    effectAt: p.datetime().nullable().comment(KEPT),
  },
});

/** An event of a switch with its effect. */
export class MarketMessage extends MarketMessageSchema.class {}
MarketMessageSchema.setClass(MarketMessage);

export type MarketMessageTable = InferKyselyDB<typeof MarketMessageSchema>;

const SwitchChangeSchema = defineEntity({
  name: 'SwitchChange',
  tableName: 'switch_change',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    statusBefore: p.text().comment(KEPT),
    statusAfter: p.text().comment(KEPT),
    messageId: p.text().comment(KEPT),
    changedAt: p.datetime().defaultRaw('clock_timestamp()').comment(KEPT),
  },
});

/** A change of a point's state, with the event that caused it. */
export class SwitchChange extends SwitchChangeSchema.class {}
SwitchChangeSchema.setClass(SwitchChange);

export type SwitchChangeTable = InferKyselyDB<typeof SwitchChangeSchema>;

const SwitchRequestSchema = defineEntity({
  name: 'SwitchRequest',
  tableName: 'switch_request',
  properties: {
    requestId: p.uuid().primary().comment(KEPT),
    accountId: p.uuid().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    round: p.integer().comment(KEPT),
    requestedAt: p.datetime().comment(KEPT),
    answeredAt: p.datetime().nullable().comment(KEPT),
    answer: p.text().nullable().comment(KEPT),
  },
});

/** A request to the network operator to switch one point; one per round. */
export class SwitchRequest extends SwitchRequestSchema.class {}
SwitchRequestSchema.setClass(SwitchRequest);

export type SwitchRequestTable = InferKyselyDB<typeof SwitchRequestSchema>;
