import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';

const p = defineEntity.properties;

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    name: p.text(),
    role: p.text().$type<KeyRole>(),
    scope: p.text().$type<KeyScope>().default('all'),
    secretSha256: p.blob().$type<Buffer>(),
    secretStart: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});

/** A key of an organization. The secret is shown once and never stored. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

export type ApiKeyTable = InferKyselyDB<typeof ApiKeySchema>;
