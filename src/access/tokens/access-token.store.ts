import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { hash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';
import type { AccessTokenTable } from './access-token.entity.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import {
  isTokenRefusal,
  refusalOfRefreshToken,
  type Credential,
  type EndedCredential,
  type RateLimited,
  type StoredRefreshToken,
  type TokenRefusal,
} from './obtain-token.rules.ts';
import { isClientOfKey } from './oauth.rules.ts';
import type { OrganisationTable } from '../organisations/organisation.entity.ts';
import { countAttempt, TOKENS_ISSUED_MAX } from './failed-tries.store.ts';
import { noteKeyUse } from './check-token.store.ts';
import { LIFE_SECONDS, SECRET_BYTES, writeSecret, type TokenKind } from './token.rules.ts';

/** The key that tokens are issued to. */
interface KeyHolder {
  keyId: string;
  organisation: string;
  keyName: string;
  role: KeyRole;
}

/** New tokens. Times are Unix seconds of the database's clock. */
export interface IssuedTokens extends KeyHolder {
  token: string;
  /** Clients of OAuth get none (RFC 6749, 4.4.3). */
  refreshToken: string | undefined;
  issuedAt: number;
  expiresAt: number;
  refreshExpiresAt: number | undefined;
}

/** The session of the tokens. Each use of a key starts a new one. */
interface Session extends KeyHolder {
  sessionId: string;
  sessionStartedAt: string | null;
}

type Tables = AccessTokenTable & ApiKeyTable & OrganisationTable;

function holders(em: EntityManager) {
  return em
    .getKysely<Tables>()
    .selectFrom('api_key as k')
    .innerJoin('organisation as o', 'o.id', 'k.organisation_id')
    .select(['k.id as keyId', 'o.name as organisation', 'k.name as keyName', 'k.role']);
}

/** Tokens with their sessions and holders. The time is a string, to keep microseconds. */
function sessions(em: EntityManager) {
  return holders(em)
    .innerJoin('access_token as t', 't.api_key_id', 'k.id')
    .select(['t.session_id as sessionId', sql<string>`t.session_started_at::text`.as('sessionStartedAt')]);
}

/**
 * Exchanges a key or a refresh token for new tokens, in one transaction. Revokes the refresh token.
 * @param network of the client, for the audit
 */
export async function exchangeForTokens(
  database: Database,
  credential: Credential,
  network: string,
): Promise<IssuedTokens | TokenRefusal | RateLimited> {
  const sha256 = hash('sha256', credential.secret, 'buffer');
  return database.transaction(async (em) => {
    const session =
      credential.kind === 'key' ? await sessionOfKey(em, sha256, credential) : await sessionOfRefreshToken(em, sha256);
    if (isTokenRefusal(session)) return session;
    const { sessionId, sessionStartedAt, ...holder } = session;
    const [issued] = await countAttempt(em, [JSON.stringify(['issue', holder.keyId])]);
    if (issued!.count > TOKENS_ISSUED_MAX) {
      // The rollback keeps the refresh token valid.
      await em.rollback();
      return { retryAfterSeconds: issued!.secondsLeft };
    }
    const token = writeSecret('access', randomBytes(SECRET_BYTES));
    const isOauth = credential.clientId !== undefined;
    const refreshToken = isOauth ? undefined : writeSecret('refresh', randomBytes(SECRET_BYTES));
    const secrets = { access: token, ...(refreshToken === undefined ? {} : { refresh: refreshToken }) };
    const times = await storeTokens(em, { keyId: holder.keyId, sessionId, sessionStartedAt }, secrets);
    await recordAudit(em, holder, {
      action: 'token.issued',
      subject: `api-keys/${holder.keyId}`,
      after: { by: credential.kind, network },
    });
    await noteKeyUse(em, [holder.keyId]);
    await deleteExpired(em, holder.keyId);
    return { ...holder, token, refreshToken, ...times };
  });
}

async function storeTokens(
  em: EntityManager,
  { keyId, sessionId, sessionStartedAt }: Pick<Session, 'keyId' | 'sessionId' | 'sessionStartedAt'>,
  secrets: { access: string; refresh?: string },
): Promise<Pick<IssuedTokens, 'issuedAt' | 'expiresAt' | 'refreshExpiresAt'>> {
  const startedAt = sql<Date>`coalesce(${sessionStartedAt}::timestamptz, now())`;
  const rowOf = (kind: TokenKind, secret: string) => ({
    sha256: hash('sha256', secret, 'buffer'),
    api_key_id: keyId,
    kind,
    session_id: sessionId,
    session_started_at: startedAt,
    expires_at: sql<Date>`least(now() + make_interval(secs => ${LIFE_SECONDS[kind]}), ${startedAt} + make_interval(secs => ${LIFE_SECONDS.refresh}))`,
  });
  const seconds = (time: string) => sql<number>`floor(extract(epoch from ${sql.raw(time)}))::float8`;
  const [access, refresh] = await em
    .getKysely<AccessTokenTable>()
    .insertInto('access_token')
    .values([
      rowOf('access', secrets.access),
      ...(secrets.refresh === undefined ? [] : [rowOf('refresh', secrets.refresh)]),
    ])
    .returning([seconds('now()').as('issuedAt'), seconds('expires_at').as('expiresAt')])
    .execute();
  return { ...access!, refreshExpiresAt: refresh?.expiresAt };
}

/** Called when a key obtains tokens. Used refresh tokens are kept for a day after they expire, so that a second use is detected. */
async function deleteExpired(em: EntityManager, keyId: string): Promise<void> {
  const tokens = em.getKysely<AccessTokenTable>();
  const expired = tokens
    .selectFrom('access_token')
    .select('sha256')
    .where('api_key_id', '=', keyId)
    .where('expires_at', '<', sql<Date>`now() - interval '1 day'`)
    .orderBy('sha256')
    .limit(100)
    .forUpdate()
    .skipLocked();
  await tokens.deleteFrom('access_token').where('sha256', 'in', expired).execute();
}

async function sessionOfKey(
  em: EntityManager,
  sha256: Buffer,
  { clientId, secret }: Credential,
): Promise<Session | TokenRefusal> {
  const holder = await holderOfKey(em, sha256).executeTakeFirst();
  const isOther = clientId !== undefined && !isClientOfKey({ clientId, secret }, holder?.keyId ?? '');
  return holder === undefined || isOther ? 'key_refused' : { ...holder, sessionId: uuidv7(), sessionStartedAt: null };
}

function holderOfKey(em: EntityManager, sha256: Buffer) {
  return holders(em)
    .where('k.secret_sha256', '=', sha256)
    .where('k.revoked_at', 'is', null)
    .where((is) => is.or([is('k.expires_at', 'is', null), is('k.expires_at', '>', sql<Date>`now()`)]));
}

/** The holder of a key, and the key's scope. */
export type IdentifiedKey = KeyHolder & { scope: KeyScope };

/** Identifies the key of a secret at sign-in. */
export async function identifyKey(database: Database, secret: string): Promise<IdentifiedKey | TokenRefusal> {
  return database.transaction(async (em) => {
    const sha256 = hash('sha256', secret, 'buffer');
    const holder = await holderOfKey(em, sha256).select('k.scope').executeTakeFirst();
    if (holder !== undefined) await noteKeyUse(em, [holder.keyId]);
    return holder ?? 'key_refused';
  });
}

/** Serializes uses of one session, so that the second sees the tokens that the first left. */
async function lockSession(em: EntityManager, sha256: Buffer): Promise<void> {
  const lock = sql`pg_advisory_xact_lock(hashtextextended(session_id::text, 0))`.as('lock');
  await em.getKysely<AccessTokenTable>().selectFrom('access_token').select(lock).where('sha256', '=', sha256).execute();
}

/** A refresh token used twice is held by two parties, and the service cannot know which is legitimate. The whole session ends. */
async function sessionOfRefreshToken(em: EntityManager, sha256: Buffer): Promise<Session | TokenRefusal> {
  await lockSession(em, sha256);
  const stored: (Session & StoredRefreshToken) | undefined = await sessions(em)
    .select([
      sql<boolean>`t.expires_at <= now()`.as('isExpired'),
      sql<boolean>`t.revoked_at is not null`.as('wasUsed'),
      sql<boolean>`k.revoked_at is not null or coalesce(k.expires_at <= now(), false)`.as('keyIsRevoked'),
    ])
    .where('t.sha256', '=', sha256)
    .where('t.kind', '=', 'refresh')
    .forUpdate('t')
    .executeTakeFirst();
  const refusal = refusalOfRefreshToken(stored);
  if (stored?.wasUsed) await endSession(em, stored, 'A refresh token was used a second time.');
  if (refusal !== undefined) return refusal;
  await em
    .getKysely<AccessTokenTable>()
    .updateTable('access_token')
    .set({ revoked_at: sql<Date>`now()` })
    .where('sha256', '=', sha256)
    .execute();
  const { keyId, organisation, keyName, role, sessionId, sessionStartedAt } = stored!;
  return { keyId, organisation, keyName, role, sessionId, sessionStartedAt };
}

/** Builds an update that revokes valid tokens; the caller adds the condition that selects them. */
function endTokens(em: EntityManager) {
  return em
    .getKysely<AccessTokenTable>()
    .updateTable('access_token')
    .set({ revoked_at: sql<Date>`now()` })
    .where('revoked_at', 'is', null)
    .returning('kind');
}

async function endSession(em: EntityManager, session: Session, reason: string): Promise<void> {
  const ended = await endTokens(em).where('session_id', '=', session.sessionId).execute();
  if (ended.length > 0) {
    await recordAudit(em, session, {
      action: 'session.ended',
      subject: `api-keys/${session.keyId}`,
      after: { tokens_ended: ended.length },
      reason,
    });
  }
}

/** Revokes an access token, or with a refresh token all tokens of its session. Takes effect everywhere within a second. Idempotent. */
export async function endToken(database: Database, { kind, secret }: EndedCredential): Promise<'ended' | TokenRefusal> {
  const sha256 = hash('sha256', secret, 'buffer');
  return database.transaction(async (em) => {
    await lockSession(em, sha256);
    const session = await sessions(em).where('t.sha256', '=', sha256).where('t.kind', '=', kind).executeTakeFirst();
    if (session === undefined) return 'token_unknown';
    if (kind === 'refresh') await endSession(em, session, 'The holder ended it.');
    else if ((await endTokens(em).where('sha256', '=', sha256).execute()).length > 0) {
      await recordAudit(em, session, {
        action: 'token.ended',
        subject: `api-keys/${session.keyId}`,
        reason: 'The holder ended it.',
      });
    }
    return 'ended';
  });
}
