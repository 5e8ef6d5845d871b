import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const MarketMessageSchema = defineEntity({
  name: 'MarketMessage',
  tableName: 'market_message',
  properties: {
    messageId: p.text().name('message_id').primary(),
    source: p.text().name('source'),
    importSupplier: p.text().name('import_supplier'),
    externalAccountNumber: p.text().name('external_account_number'),
    supplyPointIdentifier: p.text().name('supply_point_identifier').nullable(),
    outcome: p.text().name('outcome').nullable(),
    status: p.text().name('status').nullable(),
    occurredAt: p.datetime().name('occurred_at'),
    reason: p.text().name('reason').nullable(),
    receivedAt: p.datetime().name('received_at'),
    effect: p.text().name('effect'),
    effectDetail: p.text().name('effect_detail').nullable(),
    effectAt: p.datetime().name('effect_at').nullable(),
  },
});

/** Something that was said of a switch, and what it did. */
export class MarketMessage extends MarketMessageSchema.class {}
MarketMessageSchema.setClass(MarketMessage);
