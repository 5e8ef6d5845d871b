import { defineEntity } from '@mikro-orm/core';
import type { TokenKind } from './token.rules.ts';

const p = defineEntity.properties;

const AccessTokenSchema = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    sha256: p.blob().name('sha256').$type<Buffer>().primary(),
    apiKeyId: p.uuid().name('api_key_id'),
    kind: p.text().name('kind').$type<TokenKind>(),
    createdAt: p.datetime().name('created_at').defaultRaw('now()'),
    expiresAt: p.datetime().name('expires_at'),
    revokedAt: p.datetime().name('revoked_at').nullable(),
    sessionId: p.uuid().name('session_id').defaultRaw('gen_random_uuid()'),
    sessionStartedAt: p.datetime().name('session_started_at').defaultRaw('now()'),
  },
});

/** A token as its hash; a refresh token is revoked by its first use. All that come of one use of the key are a session. */
export class AccessToken extends AccessTokenSchema.class {}
AccessTokenSchema.setClass(AccessToken);
