import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { TokenKind } from './token.rules.ts';

const p = defineEntity.properties;

const AccessTokenSchema = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    sha256: p.blob().$type<Buffer>().primary(),
    apiKeyId: p.uuid(),
    kind: p.text().$type<TokenKind>(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    sessionId: p.uuid().defaultRaw('gen_random_uuid()'),
    sessionStartedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A token, stored as its hash. A refresh token is revoked by its first use. All tokens that originate from one use of the key form a session. */
export class AccessToken extends AccessTokenSchema.class {}
AccessTokenSchema.setClass(AccessToken);

export type AccessTokenTable = InferKyselyDB<typeof AccessTokenSchema>;
