import { hash } from 'node:crypto';
import type { BulkheadPolicy } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { countAttempt, findKeyStarts, revertAttempts, type AttemptCount } from './counted-attempt.store.ts';
import { isTokenRefusal, type RateLimited } from './obtain-token.rules.ts';
import { isSecret, SECRET_START_LENGTH } from './token.rules.ts';
import { countInWindows, type WindowedCount } from '../../platform/windowed-count.ts';

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
 * Counts failed attempts per minute before the credential is looked up: first in this process, which is free, then over all processes.
 * Secrets of 256 bits cannot be guessed; the limits keep a broken or hostile client from exhausting the database. A key is counted together
 * with its network, so that an attacker who knows how a key begins cannot lock out its owner. When a shared network reaches its limit, only
 * keys that were never issued are rejected. A key that has succeeded in this process is not counted until it fails.
 */
export function countFailedTries({ database, counting, log }: Deps): FailedTries {
  const local = countInWindows({ windowMs: WINDOW_MS, namesMax: NAMES_MAX });
  const proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  const keyStarts = createShortCache<'all', Set<string>>({
    load: () => counting.execute(() => findKeyStarts(database)),
    forMs: KEY_STARTS_KEPT_MS,
  });
  const mayBeMade = createGate({
    local,
    count: (names) => counting.execute(() => countAttempt(database, names)),
    isIssued: async (secret) => (await keyStarts.fetch('all')).has(secret.slice(0, SECRET_START_LENGTH)),
  });

  const revert = (names: readonly string[]): void => {
    for (const name of names) local.revert(name);
    // Not awaited: a count that stays too high expires after its minute.
    counting
      .execute(() => revertAttempts(database, names))
      .catch((error: unknown) => {
        log.warn({ fault: loggedFault(error) }, 'counted attempt not reverted');
      });
  };
  const failedAgain = (one: Try, names: readonly string[]): void => {
    // May be attempts with stolen keys; the log shows their origin.
    const isLast = names.some((name, index) => local.of(name) === LIMITS[index]);
    if (isLast) {
      log.warn({ requestId: one.requestId, network: one.network }, 'limit of failed token requests reached');
    }
  };
  return {
    attempt: async (one, make) => {
      const id = hash('sha256', one.secret, 'base64url');
      const names = namesOf(one);
      const uses = JSON.stringify(['use', id]);
      if (local.add(uses) > TOKENS_ISSUED_MAX) return { retryAfterSeconds: local.secondsLeft(uses) };
      const isProven = proven.has(id);
      const rateLimited = isProven ? undefined : await mayBeMade(one, names);
      if (rateLimited !== undefined) return rateLimited;
      try {
        const outcome = await make();
        if (hasFailed(outcome)) {
          if (proven.delete(id)) for (const name of names) local.add(name);
          failedAgain(one, names);
          return outcome;
        }
        if (isSecret('key', one.secret) && !isTokenRefusal(outcome)) proven.set(id, true);
        if (!isProven) revert(names);
        return outcome;
      } catch (error) {
        if (!isProven) revert(names);
        throw error;
      }
    },
  };
}

/** Counter names in the order of the limits: by key and network, and by network. */
function namesOf({ network, secret }: Try): [string, string] {
  return [JSON.stringify(['try', network, secret.slice(0, SECRET_START_LENGTH)]), JSON.stringify(['try', network])];
}

const LIMITS = [FAILED_TRIES_MAX.key, FAILED_TRIES_MAX.network] as const;

function hasFailed(outcome: unknown): boolean {
  return isTokenRefusal(outcome) && outcome !== 'service_unavailable';
}

interface GateDeps {
  local: WindowedCount;
  /** Counts in the database. */
  count(names: readonly string[]): Promise<AttemptCount[]>;
  /** Whether a secret begins like a valid key. */
  isIssued(secret: string): Promise<boolean>;
}

/** Counts an attempt in advance, locally and in the database. Returns undefined if it is allowed. */
function createGate({
  local,
  count,
  isIssued,
}: GateDeps): (one: Try, names: [string, string]) => Promise<RateLimited | undefined> {
  return async (one, names) => {
    const [ofKey, ofNetwork] = names;
    if (local.of(ofKey) >= FAILED_TRIES_MAX.key) return { retryAfterSeconds: local.secondsLeft(ofKey) };
    // Counts both before the first await, so that concurrent attempts cannot exceed the limit.
    local.add(ofKey);
    const isCrowded = local.add(ofNetwork) > FAILED_TRIES_MAX.network;
    try {
      if (isCrowded && !(await isIssued(one.secret))) return { retryAfterSeconds: local.secondsLeft(ofNetwork) };
      const [key, network] = await count(names);
      if (key!.count > FAILED_TRIES_MAX.key) return { retryAfterSeconds: key!.secondsLeft };
      if (network!.count > FAILED_TRIES_MAX.network && !(await isIssued(one.secret))) {
        return { retryAfterSeconds: network!.secondsLeft };
      }
      return undefined;
    } catch (error) {
      // An unavailable database is not a failed attempt.
      for (const name of names) local.revert(name);
      throw error;
    }
  };
}
