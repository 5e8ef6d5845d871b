import { hash, randomBytes } from 'node:crypto';
import type { Database, Queryable, Statement } from '../platform/database/database.ts';
import type { KeyRole } from '../vocabulary/key-roles.ts';
import { isTokenRefusal, refusalOfRefreshToken, type Credential, type NotHeard, type StoredRefreshToken, type TokenRefusal } from './obtain-token.rules.ts';
import { countAttempt } from './counted-attempt.store.ts';
import { TOKENS_ISSUED_MAX } from './failed-tries.store.ts';
import { LIFE_SECONDS, SECRET_BYTES, writeSecret } from './token.rules.ts';

/** The key that tokens are issued to. */
interface KeyHolder {
  keyId: string;
  organisation: string;
  role: KeyRole;
}

/** A fresh pair of tokens; times are Unix seconds of the database's clock. */
export interface IssuedTokens extends KeyHolder {
  token: string;
  refreshToken: string;
  issuedAt: number;
  expiresAt: number;
  refreshExpiresAt: number;
}

const KEY_BY_SECRET: Statement = {
  name: 'api_key_by_secret',
  text: `select k.id as "keyId", o.name as organisation, k.role
    from api_key k join organisation o on o.id = k.organisation_id
    where k.secret_sha256 = $1 and k.revoked_at is null`,
};

// The lock makes two uses of one refresh token wait for each other: one gets tokens, the other is refused.
const REFRESH_TOKEN: Statement = {
  name: 'refresh_token_for_use',
  text: `select k.id as "keyId", o.name as organisation, k.role, t.expires_at <= now() as "isExpired",
      t.revoked_at is not null as "wasUsed", k.revoked_at is not null as "keyIsRevoked"
    from access_token t join api_key k on k.id = t.api_key_id join organisation o on o.id = k.organisation_id
    where t.sha256 = $1 and t.kind = 'refresh' for update of t`,
};

const MARK_USED: Statement = { name: 'refresh_token_used', text: 'update access_token set revoked_at = now() where sha256 = $1' };

const STORE_TOKENS: Statement = {
  name: 'access_token_issue',
  text: `with stored as (
      insert into access_token (sha256, api_key_id, kind, expires_at)
      values ($1, $3, 'access', now() + make_interval(secs => $4)), ($2, $3, 'refresh', now() + make_interval(secs => $5)))
    select floor(extract(epoch from now()))::float8 as now`,
};

// A key that asks for tokens tidies up after itself; used refresh tokens stay until then so that a second use is told apart.
const DELETE_EXPIRED: Statement = {
  name: 'access_token_tidy',
  text: `delete from access_token where sha256 in (
      select sha256 from access_token where api_key_id = $1 and expires_at < now() - interval '1 day'
      order by sha256 limit 100 for update skip locked)`,
};

/** Exchanges a key or a refresh token for a new pair of tokens, in one transaction; a refresh token is spent by it. */
export async function exchangeForTokens(database: Database, credential: Credential): Promise<IssuedTokens | TokenRefusal | NotHeard> {
  const sha256 = hash('sha256', credential.secret, 'buffer');
  return database.transaction(async (tx) => {
    const holder = credential.kind === 'key' ? await holderOfKey(tx, sha256) : await holderOfRefreshToken(tx, sha256);
    if (isTokenRefusal(holder)) return holder;
    const [issued] = await countAttempt(tx, [JSON.stringify(['issue', holder.keyId])]);
    if (issued!.count > TOKENS_ISSUED_MAX) {
      // A refresh token is not spent by it.
      await tx.rollback();
      return { heardAgainInSeconds: issued!.secondsLeft };
    }
    const token = writeSecret('access', randomBytes(SECRET_BYTES));
    const refreshToken = writeSecret('refresh', randomBytes(SECRET_BYTES));
    const [stored] = await tx.run<{ now: number }>(STORE_TOKENS, [
      hash('sha256', token, 'buffer'), hash('sha256', refreshToken, 'buffer'), holder.keyId, LIFE_SECONDS.access, LIFE_SECONDS.refresh,
    ]);
    await tx.run(DELETE_EXPIRED, [holder.keyId]);
    const issuedAt = stored!.now;
    return { ...holder, token, refreshToken, issuedAt, expiresAt: issuedAt + LIFE_SECONDS.access, refreshExpiresAt: issuedAt + LIFE_SECONDS.refresh };
  });
}

async function holderOfKey(tx: Queryable, sha256: Buffer): Promise<KeyHolder | TokenRefusal> {
  const [holder] = await tx.run<KeyHolder & Record<string, unknown>>(KEY_BY_SECRET, [sha256]);
  return holder ?? 'key_refused';
}

async function holderOfRefreshToken(tx: Queryable, sha256: Buffer): Promise<KeyHolder | TokenRefusal> {
  const [stored] = await tx.run<KeyHolder & StoredRefreshToken & Record<string, unknown>>(REFRESH_TOKEN, [sha256]);
  const refusal = refusalOfRefreshToken(stored);
  if (refusal !== undefined) return refusal;
  await tx.run(MARK_USED, [sha256]);
  const { keyId, organisation, role } = stored!;
  return { keyId, organisation, role };
}
