import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountMetadataSchema = defineEntity({
  name: 'AccountMetadata',
  tableName: 'account_metadata',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    key: p.text().name('key'),
    value: p.json<Record<string, unknown>>().name('value'),
  },
});

/** A free value kept for the supplier under a key. */
export class AccountMetadata extends AccountMetadataSchema.class {}
AccountMetadataSchema.setClass(AccountMetadata);
