import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountMetadataSchema = defineEntity({
  name: 'AccountMetadata',
  tableName: 'account_metadata',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    key: p.text().comment(KEPT),
    value: p.json<Record<string, unknown>>().comment(PERSONAL),
  },
});

/** A free value kept for the supplier under a key. */
export class AccountMetadata extends AccountMetadataSchema.class {}
AccountMetadataSchema.setClass(AccountMetadata);
