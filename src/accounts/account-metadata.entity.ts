import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountMetadataSchema = defineEntity({
  name: 'AccountMetadata',
  tableName: 'account_metadata',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    key: p.text(),
    value: p.json<Record<string, unknown>>(),
  },
});

/** A free value kept for the supplier under a key. */
export class AccountMetadata extends AccountMetadataSchema.class {}
AccountMetadataSchema.setClass(AccountMetadata);
