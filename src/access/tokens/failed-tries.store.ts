import { hash } from 'node:crypto';
import type { BulkheadPolicy } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { type Queryable, kyselyOf, run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { isTokenRefusal, type RateLimited } from './obtain-token.rules.ts';
import { isSecret, SECRET_START_LENGTH } from './token.rules.ts';
import { countInWindows } from '../../platform/windowed-count.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';

/** Failed attempts per minute: with one key from one network, and with all keys from one network. */
export const FAILED_TRIES_MAX = { key: 10, network: 100 } as const;
/** Tokens issued per key and minute. A client needs one per hour. */
export const TOKENS_ISSUED_MAX = 60;
const WINDOW_MS = 60_000;
const NAMES_MAX = 20_000;
const PROVEN_MAX = 10_000;
/** Maximum age of the list of issued keys, which decides for networks that exceed their limit. */
const KEY_STARTS_KEPT_MS = 5_000;

/** One attempt with a credential. */
interface Try {
  /** Network of the client (platform/http/client-network.ts). */
  network: string;
  secret: string;
  requestId: string;
}

export interface FailedTries {
  /** Runs an attempt unless too many have failed. Refusals count as failed (obtain-token.rules.ts). */
  attempt<Outcome>(one: Try, make: () => Promise<Outcome>): Promise<Outcome | RateLimited>;
}

interface Deps {
  database: Queryable;
  /** Limits the statements. */
  counting: BulkheadPolicy;
  log: Log;
}

/**
 * Counts failed attempts per minute over all processes before the credential is looked up. This process remembers which limits are reached,
 * so that further attempts cost no statement. Secrets of 256 bits cannot be guessed; the limits keep a broken or hostile client from
 * exhausting the database. A key is counted together with its network, so that an attacker who knows how a key begins cannot lock out its
 * owner. When a shared network reaches its limit, only keys that were never issued are rejected. A key that has succeeded in this process is
 * not counted until it fails.
 */
export function countFailedTries({ database, counting, log }: Deps): FailedTries {
  const uses = countInWindows({ windowMs: WINDOW_MS, namesMax: NAMES_MAX });
  /** Names that have reached their limit, until their minute ends. */
  const blocked = new LRUCache<string, true>({ max: NAMES_MAX });
  const proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  const keyStarts = createShortCache<'all', Set<string>>({
    load: () => findKeyStarts(database),
    forMs: KEY_STARTS_KEPT_MS,
  });
  const limitsReached = async (one: Try, { ofKey, ofNetwork }: Names): Promise<RateLimited | undefined> => {
    if (blocked.has(ofKey)) return rateLimited(blocked.getRemainingTTL(ofKey));
    if (!blocked.has(ofNetwork)) return undefined;
    const isIssued = (await keyStarts.fetch('all')).has(one.secret.slice(0, SECRET_START_LENGTH));
    return isIssued ? undefined : rateLimited(blocked.getRemainingTTL(ofNetwork));
  };
  /** Counts an attempt in advance. Returns undefined if it is allowed. */
  const count = async (one: Try, names: Names): Promise<RateLimited | undefined> => {
    const reached = await limitsReached(one, names);
    if (reached !== undefined) return reached;
    const counts = await countAttempt(database, [names.ofKey, names.ofNetwork]);
    for (const [index, name] of [names.ofKey, names.ofNetwork].entries()) {
      if (counts[index]!.count <= LIMITS[index]! || blocked.has(name)) continue;
      blocked.set(name, true, { ttl: counts[index]!.secondsLeft * 1_000 });
      // May be attempts with stolen keys; the log shows their origin.
      log.warn({ requestId: one.requestId, network: one.network }, 'limit of failed token requests reached');
    }
    return limitsReached(one, names);
  };
  const revert = ({ ofKey, ofNetwork }: Names): void => {
    // Not awaited: a count that stays too high expires after its minute.
    counting
      .execute(() => revertAttempts(database, [ofKey, ofNetwork]))
      .catch((error: unknown) => {
        log.warn({ fault: loggedFault(error) }, 'counted attempt not reverted');
      });
  };
  return {
    attempt: async (one, make) => {
      const id = hash('sha256', one.secret, 'base64url');
      if (uses.add(id) > TOKENS_ISSUED_MAX) return { retryAfterSeconds: uses.secondsLeft(id) };
      const names = namesOf(one);
      const isProven = proven.has(id);
      const limited = isProven ? undefined : await counting.execute(() => count(one, names));
      if (limited !== undefined) return limited;
      let hasFailed = false;
      try {
        const outcome = await make();
        hasFailed = isTokenRefusal(outcome) && outcome !== 'service_unavailable';
        if (hasFailed) proven.delete(id);
        else if (isSecret('key', one.secret) && !isTokenRefusal(outcome)) proven.set(id, true);
        return outcome;
      } finally {
        if (!isProven && !hasFailed) revert(names);
      }
    },
  };
}

/** Names under which an attempt is counted: by key and network, and by network. */
interface Names {
  ofKey: string;
  ofNetwork: string;
}

function namesOf({ network, secret }: Try): Names {
  return {
    ofKey: JSON.stringify(['try', network, secret.slice(0, SECRET_START_LENGTH)]),
    ofNetwork: JSON.stringify(['try', network]),
  };
}

const LIMITS = [FAILED_TRIES_MAX.key, FAILED_TRIES_MAX.network] as const;

function rateLimited(leftMs: number): RateLimited {
  return { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) };
}

/** Number of attempts in the current minute, including this one, and the seconds until it ends. */
interface AttemptCount {
  count: number;
  secondsLeft: number;
}

// One statement for all names, in one order, so that processes do not deadlock. Also deletes expired rows.
const COUNT: PreparedQuery = {
  name: 'counted_attempt_add',
  text: `with swept as (
      delete from counted_attempt where bucket in (
        select bucket from counted_attempt where ends_at < now() and not bucket = any($1::bytea[]) order by bucket limit 100 for update skip locked))
    insert into counted_attempt as c (bucket, count, ends_at)
    select bucket, amount, now() + interval '1 minute' from unnest($1::bytea[], $2::integer[]) as wanted (bucket, amount) order by bucket
    on conflict (bucket) do update set
      count = case when c.ends_at <= now() then excluded.count else c.count + excluded.count end,
      ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
    returning bucket, count, ceil(extract(epoch from ends_at - now()))::integer as "secondsLeft"`,
};

const REVERT: PreparedQuery = {
  name: 'counted_attempt_revert',
  text: `with held as (select bucket from counted_attempt where bucket = any($1::bytea[]) order by bucket for update)
    update counted_attempt c set count = greatest(c.count - 1, 0) from held where c.bucket = held.bucket`,
};

function bucketOf(name: string): Buffer {
  return hash('sha256', name, 'buffer');
}

/**
 * Counts attempts under each name in the database, for all processes.
 * @param amounts attempts of each name; one by default
 * @returns the counts in the order of the names
 */
export async function countAttempt(
  on: Queryable,
  names: readonly string[],
  amounts: readonly number[] = names.map(() => 1),
): Promise<AttemptCount[]> {
  const buckets = names.map(bucketOf);
  const rows = await run<AttemptCount & { bucket: Buffer }>(on, COUNT, [buckets, amounts]);
  return buckets.map((bucket) => {
    const row = rows.find((one) => one.bucket.equals(bucket))!;
    return { count: row.count, secondsLeft: Math.max(1, row.secondsLeft) };
  });
}

/** Reverts an attempt that was counted in advance and succeeded. */
async function revertAttempts(database: Queryable, names: readonly string[]): Promise<void> {
  await run(database, REVERT, [names.map(bucketOf)]);
}

/** Returns the first characters of all valid keys, which distinguish attempts with an issued key from guesses. */
async function findKeyStarts(database: Queryable): Promise<Set<string>> {
  const keys = kyselyOf<ApiKeyTable>(database).selectFrom('api_key').select('secret_start');
  return new Set((await keys.where('revoked_at', 'is', null).execute()).map((key) => key.secret_start));
}
