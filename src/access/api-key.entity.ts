import { defineEntity } from '@mikro-orm/core';
import type { KeyRole, KeyScope } from '../vocabulary/key-roles.ts';

const p = defineEntity.properties;

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().name('id').primary(),
    organisationId: p.uuid().name('organisation_id'),
    name: p.text().name('name'),
    role: p.text().name('role').$type<KeyRole>(),
    scope: p.text().name('scope').$type<KeyScope>().default('all'),
    secretSha256: p.blob().name('secret_sha256').$type<Buffer>(),
    secretStart: p.text().name('secret_start'),
    createdAt: p.datetime().name('created_at').defaultRaw('now()'),
    expiresAt: p.datetime().name('expires_at').nullable(),
    lastUsedAt: p.datetime().name('last_used_at').nullable(),
    revokedAt: p.datetime().name('revoked_at').nullable(),
  },
});

/** A key of an organisation; the secret itself is shown once and never stored. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
