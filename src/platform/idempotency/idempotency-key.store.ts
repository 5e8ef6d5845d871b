import { createHash } from 'node:crypto';
import { raw } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';
import { emOf, run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';
import { IdempotencyKey } from './idempotency-key.entity.ts';

/** A request with its Idempotency-Key. */
export interface KeyedRequest {
  organisation: string;
  keyHash: Buffer;
  requestHash: Buffer;
  /** Account in the body, by which the stored response is found when a person is erased. */
  account: { importSupplier: string; externalAccountNumber: string } | undefined;
}

/** The right to work on a request. It expires, and another process may then claim the request. */
export interface Claim {
  organisation: string;
  keyHash: Buffer;
  claim: string;
  /** The same for every attempt at the request. */
  onceId: string;
}

/** A stored response. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string> | null;
  /** The body as JSON. */
  answer: string;
}

type ClaimOutcome =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'answered'; kept: KeptAnswer }
  | { kind: 'in-flight' }
  | { kind: 'other-request' };

const CLAIM: PreparedQuery = {
  name: 'idempotency-key-claim',
  text: `
    insert into idempotency_key (organisation, key_hash, request_hash, once_id, claim, claimed_until, import_supplier, external_account_number)
    values ($1, $2, $3, $4, $4, now() + make_interval(secs => $5), $6, $7)
    on conflict (organisation, key_hash) do nothing
    returning 1`,
};
/** Takes over an expired claim. */
const TAKE_OVER: PreparedQuery = {
  name: 'idempotency-key-take-over',
  text: `
    update idempotency_key set claim = $4, claimed_until = now() + make_interval(secs => $5), created_at = now()
    where organisation = $1 and key_hash = $2 and request_hash = $3 and status is null and claimed_until <= now()
    returning once_id as "onceId"`,
};
const FIND: PreparedQuery = {
  name: 'idempotency-key-find',
  text: `
    select request_hash = $3 as "isSame", status is null and claimed_until <= now() as "isFree", status, headers, answer
    from idempotency_key where organisation = $1 and key_hash = $2`,
};
const ANSWER: PreparedQuery = {
  name: 'idempotency-key-answer',
  text: `
    update idempotency_key set claim = null, claimed_until = null, status = $4, headers = $5, answer = $6
    where organisation = $1 and key_hash = $2 and claim = $3
    returning 1`,
};
/** Hash under which a key is stored, so that the table reveals no keys. Each set of import suppliers has its own key space. */
export function hashOfKey(importSuppliers: ReadonlySet<string>, key: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([[...importSuppliers].toSorted(), key]))
    .digest();
}

/** Hash by which a repeated request is recognized. */
export function hashOfRequest(request: { method: string; path: string; query: string; body: Buffer }): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([request.method, request.path.replace(/\/$/, ''), request.query]))
    .update(request.body)
    .digest();
}

/**
 * Claims a request unless it was answered or is in progress. One statement for a new request; no write for a known one.
 * @param seconds after which another process may claim it
 */
export async function claimRequest(on: Queryable, request: KeyedRequest, seconds: number): Promise<ClaimOutcome> {
  const { organisation, keyHash, requestHash, account } = request;
  const claim = uuidv7();
  const key = [organisation, keyHash, requestHash];
  for (;;) {
    const isNew = await run(on, CLAIM, [
      ...key,
      claim,
      seconds,
      account?.importSupplier ?? null,
      account?.externalAccountNumber ?? null,
    ]);
    if (isNew.length > 0) return { kind: 'claimed', claim: { organisation, keyHash, claim, onceId: claim } };
    const [found] = await run<{ isSame: boolean; isFree: boolean } & KeptRow>(on, FIND, key);
    // Released in between.
    if (found === undefined) continue;
    if (!found.isSame) return { kind: 'other-request' };
    if (found.status !== null) return { kind: 'answered', kept: found as KeptAnswer };
    const [takenOver] = found.isFree ? await run<{ onceId: string }>(on, TAKE_OVER, [...key, claim, seconds]) : [];
    return takenOver
      ? { kind: 'claimed', claim: { organisation, keyHash, claim, ...takenOver } }
      : { kind: 'in-flight' };
  }
}

type KeptRow = { [Name in keyof KeptAnswer]: KeptAnswer[Name] | null };

/**
 * Stores the response of a request.
 * @param on the transaction of the work, or the database
 * @returns false if another process has claimed the request, whose response then counts
 */
export async function keepAnswer(on: Queryable, claim: Claim, kept: KeptAnswer): Promise<boolean> {
  const { status, headers, answer } = kept;
  const values = [
    claim.organisation,
    claim.keyHash,
    claim.claim,
    status,
    headers === null ? null : JSON.stringify(headers),
    answer,
  ];
  return (await run(on, ANSWER, values)).length > 0;
}

/** Ends the claim of a refused request that had no effect. Deletes it, so that the request can be corrected and sent again with the same key. */
export async function releaseClaim(on: Queryable, claim: Claim): Promise<void> {
  if (claim.claim === claim.onceId) await emOf(on).nativeDelete(IdempotencyKey, { ...claim });
  else await abandonClaim(on, claim);
}

/** Ends the claim of a request with unknown outcome: with this key only the same request may be sent again. */
export async function abandonClaim(on: Queryable, { organisation, keyHash, claim }: Claim): Promise<void> {
  await emOf(on).nativeUpdate(IdempotencyKey, { organisation, keyHash, claim }, { claimedUntil: raw('now()') });
}

/** Maximum length of a key. */
const KEY_LENGTH_MAX = 255;

/** A string of structured fields (RFC 8941): visible characters and blanks, with `\"` and `\\`. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** A key without quotes, as many clients send it: visible characters. */
const BARE = /^[!#-~][!-~]*$/;

/**
 * Returns the key in a header; `"a"` and `a` are the same key.
 * @param header as sent; a repeated header is joined with a comma and a space, and is malformed
 * @returns undefined if it is malformed
 */
export function keyInHeader(header: string): string | undefined {
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : undefined);
  return key !== undefined && key.length > 0 && key.length <= KEY_LENGTH_MAX ? key : undefined;
}

/** Maximum that one organization may store. */
interface KeptMax {
  answers: number;
  bytes: number;
}

/** Limits stored responses, because a client that invents keys would otherwise fill the disk. */
export interface IdempotencyQuota {
  /** Whether another response may be stored. */
  hasRoom(organisation: string): Promise<boolean>;
  /** Counts a stored response. */
  count(organisation: string, bytes: number): void;
}

/** Interval at which counts are written and read again. Counts of a killed process are lost. */
const WRITTEN_EVERY_MS = 2_000;

const ADD: PreparedQuery = {
  name: 'idempotency-use-add',
  text: `
    insert into idempotency_use as u (organisation, day, answers, bytes) values ($1, current_date, $2, $3)
    on conflict (organisation, day) do update set answers = u.answers + excluded.answers, bytes = u.bytes + excluded.bytes`,
};
const SUM: PreparedQuery = {
  name: 'idempotency-use-sum',
  text: 'select coalesce(sum(answers), 0)::float8 as answers, coalesce(sum(bytes), 0)::float8 as bytes from idempotency_use where organisation = $1',
};

interface Used {
  /** Total of all processes at the last read. */
  kept: Promise<KeptMax>;
  /** Added in this process since then, not written yet. */
  added: KeptMax;
}

/** Counts in memory and writes the counts every few seconds, so that no request waits for a row that other processes write. */
export function createIdempotencyQuota(database: Queryable, max: KeptMax): IdempotencyQuota {
  const used = new Map<string, Used>();
  let timer: NodeJS.Timeout | undefined;
  const read = (organisation: string) =>
    run<{ answers: number; bytes: number }>(database, SUM, [organisation]).then(([sum]) => sum!);
  const usedBy = (organisation: string): Used => {
    const known = used.get(organisation);
    if (known) return known;
    const fresh: Used = { kept: read(organisation), added: { answers: 0, bytes: 0 } };
    // The next request reads again.
    fresh.kept.catch(() => used.delete(organisation));
    used.set(organisation, fresh);
    timer ??= setTimeout(() => void write(), WRITTEN_EVERY_MS).unref();
    return fresh;
  };
  const write = async (): Promise<void> => {
    timer = undefined;
    for (const [organisation, { added }] of used) {
      used.delete(organisation);
      if (added.answers === 0) continue;
      // The error is ignored: if the write fails, storing the next responses fails too.
      await run(database, ADD, [organisation, added.answers, added.bytes]).catch(() => {});
    }
  };
  return {
    hasRoom: async (organisation) => {
      const { kept, added } = usedBy(organisation);
      const { answers, bytes } = await kept;
      return answers + added.answers < max.answers && bytes + added.bytes < max.bytes;
    },
    count: (organisation, bytes) => {
      const { added } = usedBy(organisation);
      added.answers += 1;
      added.bytes += bytes;
    },
  };
}
