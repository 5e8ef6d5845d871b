import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { TokenKind } from './token.rules.ts';

/** A token, stored as its hash. A refresh token is revoked by its first use. All tokens that originate from one use of the key form a session. */
export const AccessToken = defineEntity({
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

export type AccessTokenTable = InferKyselyDB<typeof AccessToken>;

/** Number of attempts within a minute over all processes. The bucket is a hash of what was attempted. */
export const CountedAttempt = defineEntity({
  name: 'CountedAttempt',
  tableName: 'counted_attempt',
  properties: { bucket: p.blob().$type<Buffer>().primary(), count: p.integer(), endsAt: p.datetime() },
});
