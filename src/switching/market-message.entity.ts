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
    receivedAt: p.datetime().comment(KEPT),
    effect: p.text().comment(KEPT),
    effectDetail: p.text().nullable().comment(PERSONAL),
    effectAt: p.datetime().nullable().comment(KEPT),
  },
});

/** An event of a switch with its effect. */
export class MarketMessage extends MarketMessageSchema.class {}
MarketMessageSchema.setClass(MarketMessage);

/** The table as Kysely knows it. */
export type MarketMessageTable = InferKyselyDB<typeof MarketMessageSchema>;
