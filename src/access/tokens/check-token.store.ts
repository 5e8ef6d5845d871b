import { bulkhead } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { type Queryable, kyselyOf, run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';
import type { Caller } from '../../platform/http/route.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { batchCalls } from '../../foundation/batched-calls.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { tokenInHeader } from './token.rules.ts';
import { countInWindows } from '../../platform/windowed-count.ts';
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';

interface Authenticator {
  /**
   * Returns the caller of an Authorization header, or a refusal.
   * @param address of the client; called only for unknown tokens
   */
  authenticate(authorization: string | undefined, address: () => string): MaybePromise<Caller | Refused>;
  /** Marks a token issued by this process as known, so that its first use is not counted as an unknown token. */
  introduce(token: string): void;
}

/** Maximum time for which a revoked token, or a token of a revoked key, still works. */
const REMEMBERED_MS = 1_000;
/** A token that was valid within this time does not queue behind unknown tokens. */
const KNOWN_MS = 10 * 60_000;
/** Cache size. Tokens in use stay cached, so that a flood of invalid tokens does not evict valid ones. */
const REMEMBERED_MAX = 20_000;
/** Maximum number of cached hashes of tokens. */
const HASHES_MAX = 1_000;
/** Concurrent lookups of known tokens, and unknown tokens that are looked up or wait. Beyond this the response is 503. */
const LOOKUPS_MAX = { known: 256, unknown: 1_024 } as const;
/** Maximum number of unknown tokens per query. One query at a time, so that any number of them uses one connection. */
const BATCH_MAX = 128;

/** Unknown tokens per network and minute. Each is counted once; valid ones are not counted. */
export const UNKNOWN_TOKENS_MAX = 300;
const WINDOW_MS = 60_000;
const NETWORKS_MAX = 10_000;

/**
 * Creates the token check. One indexed query per token and second, shared by concurrent requests; valid and invalid tokens of the right
 * form cost the same. Recently used tokens are looked up separately; unknown tokens are counted per network and looked up in batches, one
 * batch at a time.
 */
export function createAuthenticator(deps: { database: Queryable; now?: () => number }): Authenticator {
  const { database, now = () => performance.now() } = deps;
  const known = new LRUCache<string, true>({
    max: REMEMBERED_MAX,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    // The library treats a clock value of 0 as missing.
    perf: { now: () => now() + 1 },
  });
  const counted = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  const lookups = openTokenLookups(database, now);
  const hashOf = rememberHashes();

  const lookup = async (key: string, address: () => string): Promise<LookupResult> => {
    const startedAt = now();
    const sha256 = Buffer.from(key, 'base64url');
    const pending = known.has(key)
      ? lookups.known(sha256)
      : // A repeated invalid token counts once.
        lookups.unknown(sha256, counted.has(key) ? undefined : clientNetwork(address()));
    if (isRefused(pending)) return { outcome: pending, lifeMs: 0 };
    const found = await pending;
    if (found === undefined) {
      known.delete(key);
      counted.set(key, true);
      return { outcome: refuse('authentication_failed'), lifeMs: REMEMBERED_MS };
    }
    counted.delete(key);
    known.set(key, true, { start: startedAt + 1 });
    return { outcome: found.caller, lifeMs: Math.min(REMEMBERED_MS, found.lifeMs) };
  };
  const options = { load: lookup, forMs: ({ lifeMs }: LookupResult) => lifeMs, joinedForMs: REMEMBERED_MS, now };
  const callers = createShortCache<string, LookupResult, () => string>({ ...options, max: REMEMBERED_MAX });
  return {
    authenticate: (authorization, address) => {
      if (authorization === undefined || authorization === '') return refuse('not_authenticated');
      const token = tokenInHeader(authorization);
      if (token === undefined) return refuse('authentication_failed', { detail: MALFORMED });
      const key = hashOf(token);
      return callers.get(key)?.outcome ?? callers.fetch(key, address).then(({ outcome }) => outcome);
    },
    introduce: (token) => {
      known.set(hashOfToken(token), true);
    },
  };
}

/**
 * Returns a function that hashes tokens and caches the hashes: hashing takes 7 us, a 25th of a small request, and clients repeat their
 * token. The cache is the only place that holds tokens themselves, so each is removed after a second.
 */
export function rememberHashes(hash = hashOfToken): (token: string) => string {
  const hashes = new LRUCache<string, string>({
    max: HASHES_MAX,
    ttl: REMEMBERED_MS,
    ttlAutopurge: true,
    memoMethod: hash,
  });
  return (token) => hashes.memo(token);
}

interface LookupResult {
  outcome: Caller | Refused;
  lifeMs: number;
}

const MALFORMED =
  'The header Authorization must be exactly "Token <ACCESS_TOKEN>" with a token from obtainToken; "Bearer" is accepted instead of "Token".';
const TOO_MANY_UNKNOWN =
  'Too many unknown tokens were sent from this address. Send the same request again after the time in Retry-After.';

interface TokenLookups {
  known(sha256: Buffer): Promise<FoundCaller | undefined> | Refused;
  /** @param network counts the token; undefined if it was counted before */
  unknown(sha256: Buffer, network: string | undefined): Promise<FoundCaller | undefined> | Refused;
}

/** Separate capacity for known and unknown tokens, so that neither can exhaust the other's. */
function openTokenLookups(database: Queryable, now: () => number): TokenLookups {
  const counts = countInWindows({ windowMs: WINDOW_MS, namesMax: NETWORKS_MAX, now });
  const lookupsOfKnown = bulkhead(LOOKUPS_MAX.known);
  const lookup = async (hashes: readonly Buffer[]) => {
    const found = await findCallers(database, hashes);
    return (sha256: Buffer) => found.get(sha256.toString('base64url'));
  };
  const gathered = batchCalls(BATCH_MAX, lookup);
  /** Valid tokens and an unavailable database do not reduce the caller's allowance. */
  const lookupUnknown = async (sha256: Buffer, network: string): Promise<FoundCaller | undefined> => {
    let isWrong = false;
    try {
      const found = await gathered.add(sha256);
      isWrong = found === undefined;
      return found;
    } finally {
      if (!isWrong) counts.revert(network);
    }
  };
  return {
    known: (sha256) =>
      lookupsOfKnown.executionSlots === 0
        ? refuse('service_unavailable', { retryAfterSeconds: 1 })
        : lookupsOfKnown.execute(async () => (await lookup([sha256]))(sha256)),
    unknown: (sha256, network) => {
      if (network !== undefined && counts.of(network) >= UNKNOWN_TOKENS_MAX) {
        return refuse('throttled', { detail: TOO_MANY_UNKNOWN, retryAfterSeconds: counts.secondsLeft(network) });
      }
      if (gathered.size >= LOOKUPS_MAX.unknown) return refuse('service_unavailable', { retryAfterSeconds: 1 });
      if (network === undefined) return gathered.add(sha256);
      counts.add(network);
      return lookupUnknown(sha256, network);
    },
  };
}

/** The caller of a token, and the remaining lifetime of both. */
interface FoundCaller {
  caller: Caller;
  lifeMs: number;
}

const CALLERS_OF_TOKENS: PreparedQuery = {
  name: 'callers_of_tokens',
  text: `select t.sha256, k.id as "keyId", o.name as organisation, k.name as "keyName", k.role, k.scope, (k.last_used_at is null or k.last_used_at < now() - interval '1 minute') as "isUseOld",
      array(select s.import_supplier from api_key_import_supplier s where s.api_key_id = k.id) as "importSuppliers",
      (extract(epoch from least(t.expires_at, k.expires_at) - now()) * 1000)::float8 as "lifeMs"
    from access_token t join api_key k on k.id = t.api_key_id join organisation o on o.id = k.organisation_id
    where t.sha256 = any($1::bytea[]) and t.kind = 'access' and t.expires_at > now() and t.revoked_at is null
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
};

interface CallerRow extends Record<string, unknown> {
  sha256: Buffer;
  keyId: string;
  organisation: string;
  keyName: string;
  role: KeyRole;
  scope: KeyScope;
  isUseOld: boolean;
  importSuppliers: string[];
  lifeMs: number;
}

/**
 * Records to the minute when keys were last used, so that a key in use costs one write per minute. Skips locked keys: their next use tries
 * again.
 */
export async function noteKeyUse(on: Queryable, ids: readonly string[]): Promise<void> {
  const keys = kyselyOf<ApiKeyTable>(on);
  const unnoted = keys
    .selectFrom('api_key')
    .select('id')
    .where('id', 'in', ids)
    .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
    .forNoKeyUpdate()
    .skipLocked();
  await keys
    .updateTable('api_key')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', 'in', unnoted)
    .execute();
}

/** Hash that identifies a token, in base64url; the database stores the same bytes. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Finds the callers of tokens by their hashes. Hashes of invalid tokens have no entry. */
async function findCallers(database: Queryable, hashes: readonly Buffer[]): Promise<Map<string, FoundCaller>> {
  const rows = await run<CallerRow>(database, CALLERS_OF_TOKENS, [hashes]);
  const used = rows.filter(({ isUseOld }) => isUseOld).map(({ keyId }) => keyId);
  // Not awaited. After a failure the next lookup of the key tries again.
  if (used.length > 0) noteKeyUse(database, used).catch(() => {});
  return new Map(
    rows.map(({ sha256, keyId, organisation, keyName, role, scope, importSuppliers, lifeMs }) => [
      sha256.toString('base64url'),
      { caller: { keyId, organisation, keyName, role, scope, importSuppliers: new Set(importSuppliers) }, lifeMs },
    ]),
  );
}
