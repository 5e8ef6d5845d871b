import { defineEntity } from '@mikro-orm/core';

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
    outcome: p.text().nullable(),
    status: p.text().nullable(),
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
