import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';

/** A key of an organization. The secret is shown once and never stored. */
export const ApiKey = defineEntity({
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

export type ApiKeyTable = InferKyselyDB<typeof ApiKey>;

/** An import supplier whose data a key may read and change. */
export const ApiKeyImportSupplier = defineEntity({
  name: 'ApiKeyImportSupplier',
  tableName: 'api_key_import_supplier',
  properties: { apiKeyId: p.uuid().primary(), importSupplier: p.text().primary() },
});

export type ApiKeyImportSupplierTable = InferKyselyDB<typeof ApiKeyImportSupplier>;
