import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { MarketOutcome, SwitchStatus } from '../vocabulary/switch-statuses.ts';

const p = defineEntity.properties;

const MarketMessageSchema = defineEntity({
  name: 'MarketMessage',
  tableName: 'market_message',
  properties: {
    messageId: p.text().primary(),
    source: p.text(),
    importSupplier: p.text(),
    externalAccountNumber: p.text(),
    supplyPointIdentifier: p.text().nullable(),
    outcome: p.text().$type<MarketOutcome>().nullable(),
    status: p.text().$type<SwitchStatus>().nullable(),
    occurredAt: p.datetime(),
    reason: p.text().nullable(),
    receivedAt: p.datetime(),
    effect: p.text(),
    effectDetail: p.text().nullable(),
    effectAt: p.datetime().nullable(),
  },
});

/** An event of a switch, and what it did. */
export class MarketMessage extends MarketMessageSchema.class {}
MarketMessageSchema.setClass(MarketMessage);

/** The table as Kysely knows it. */
export type MarketMessageTable = InferKyselyDB<typeof MarketMessageSchema>;
