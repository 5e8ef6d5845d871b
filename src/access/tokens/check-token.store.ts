import { LRUCache } from 'lru-cache';
import type { Autocommit } from '../../platform/database/prepared-query.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';
import type { Caller } from '../../platform/http/route.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { findCallers, gatherLookups, hashOfToken, type FoundCaller } from './find-callers.store.ts';
import { tokenInHeader } from './token.rules.ts';
import { countInWindows } from './windowed-count.rules.ts';

export interface Authenticator {
  /**
   * Turns the header Authorization into a caller, or says why not.
   * @param address where the request comes from; asked for only when the token is unknown
   */
  authenticate(authorization: string | undefined, address: () => string): MaybePromise<Caller | Refused>;
  /** Marks a token issued by this process as known, so that its first use does not count as one of an unknown token. */
  introduce(token: string): void;
}

/** A token that was revoked, or whose key was, works no longer than this. */
const REMEMBERED_MS = 1_000;
/** A token that was valid within this time does not queue behind unknown ones. */
const KNOWN_MS = 10 * 60_000;
/** Tokens remembered; those in use stay, so that a flood of wrong ones pushes no good one out. */
const REMEMBERED_MAX = 20_000;
/** Hashes remembered, of tokens sent within a second. */
const HASHES_MAX = 1_000;
/** Lookups of known tokens under way at once, and of unknown ones that may wait; beyond it the answer is 503. */
const LOOKUPS_MAX = { known: 256, unknown: 1_024 } as const;

/** Unknown tokens from one network that are looked up within a minute, each counted once; the right ones do not count. */
export const UNKNOWN_TOKENS_MAX = 300;
const WINDOW_MS = 60_000;
const NETWORKS_MAX = 10_000;

interface Deps {
  database: Autocommit;
  now: () => number;
}

/**
 * Makes the check of tokens. One indexed query per token and second, shared by all requests that bring the token
 * meanwhile; valid and invalid tokens of the right form cost the same. Recently used tokens are looked up separately; unknown
 * ones are counted per network and looked up in batches, one batch at a time.
 */
export function createAuthenticator({
  database,
  now = () => performance.now(),
}: {
  database: Autocommit;
  now?: () => number;
}): Authenticator {
  const known = new LRUCache<string, true>({
    max: REMEMBERED_MAX,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    // The library takes a clock at 0 for "no time given".
    perf: { now: () => now() + 1 },
  });
  const counted = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  const ask = createLanes({ database, now });
  const hashOf = rememberHashes();

  const lookup = async (key: string, address: () => string): Promise<LookedUp> => {
    const askedAt = now();
    const sha256 = Buffer.from(key, 'base64url');
    const asking = known.has(key)
      ? ask.known(sha256)
      : // A wrong token that is sent on and on counts once.
        ask.unknown(sha256, counted.has(key) ? undefined : clientNetwork(address()));
    if (isRefused(asking)) return { outcome: asking, lifeMs: 0 };
    const found = await asking;
    if (found === undefined) {
      known.delete(key);
      counted.set(key, true);
      return { outcome: refuse('authentication_failed'), lifeMs: REMEMBERED_MS };
    }
    counted.delete(key);
    known.set(key, true, { start: askedAt + 1 });
    return { outcome: found.caller, lifeMs: Math.min(REMEMBERED_MS, found.lifeMs) };
  };
  const options = { ask: lookup, forMs: ({ lifeMs }: LookedUp) => lifeMs, joinedForMs: REMEMBERED_MS, now };
  const callers = createShortCache<string, LookedUp, () => string>({ ...options, max: REMEMBERED_MAX });
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
 * Makes what hashes a token and remembers the hash: hashing takes 7 us, a 25th of a small request, and who calls sends the same token again and again. The
 * tokens themselves are forgotten within a second, as all else that keeps one keeps its hash.
 */
export function rememberHashes(hash = hashOfToken, afterASecond = callAfterASecond): (token: string) => string {
  const hashes = new Map<string, string>();
  return (token) => {
    const known = hashes.get(token);
    if (known !== undefined) return known;
    if (hashes.size === 0) afterASecond(() => hashes.clear());
    const key = hash(token);
    if (hashes.size < HASHES_MAX) hashes.set(token, key);
    return key;
  };
}

function callAfterASecond(forget: () => void): void {
  setTimeout(forget, REMEMBERED_MS).unref();
}

interface LookedUp {
  outcome: Caller | Refused;
  lifeMs: number;
}

const MALFORMED = 'The header Authorization must be exactly "Token <ACCESS_TOKEN>" with a token from obtainToken.';
const TOO_MANY_UNKNOWN =
  'Too many unknown tokens came from this address; send the same request again after the time in Retry-After.';

interface Lanes {
  known(sha256: Buffer): Promise<FoundCaller | undefined> | Refused;
  /** @param network counts the token; undefined when it is counted already */
  unknown(sha256: Buffer, network: string | undefined): Promise<FoundCaller | undefined> | Refused;
}

/** The two ways to the database, neither of which the other can fill. */
function createLanes({ database, now }: Deps): Lanes {
  const counts = countInWindows({ windowMs: WINDOW_MS, namesMax: NETWORKS_MAX, now });
  const gathered = gatherLookups(database);
  let knownUnderWay = 0;
  const askForKnown = async (sha256: Buffer): Promise<FoundCaller | undefined> => {
    knownUnderWay += 1;
    try {
      return (await findCallers(database, [sha256])).values().next().value;
    } finally {
      knownUnderWay -= 1;
    }
  };
  /** A valid token, or an unavailable database, does not reduce the caller's allowance. */
  const askForUnknown = async (sha256: Buffer, network: string): Promise<FoundCaller | undefined> => {
    let isWrong = false;
    try {
      const found = await gathered.find(sha256);
      isWrong = found === undefined;
      return found;
    } finally {
      if (!isWrong) counts.takeBack(network);
    }
  };
  return {
    known: (sha256) =>
      knownUnderWay >= LOOKUPS_MAX.known
        ? refuse('service_unavailable', { retryAfterSeconds: 1 })
        : askForKnown(sha256),
    unknown: (sha256, network) => {
      if (network !== undefined && counts.of(network) >= UNKNOWN_TOKENS_MAX) {
        return refuse('throttled', { detail: TOO_MANY_UNKNOWN, retryAfterSeconds: counts.secondsLeft(network) });
      }
      if (gathered.size >= LOOKUPS_MAX.unknown) return refuse('service_unavailable', { retryAfterSeconds: 1 });
      if (network === undefined) return gathered.find(sha256);
      counts.add(network);
      return askForUnknown(sha256, network);
    },
  };
}
