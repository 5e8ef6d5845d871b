import { hash } from 'node:crypto';
import { run, type Autocommit, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';

/** The caller of a token, and the remaining lifetime of both. */
export interface FoundCaller {
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

// To the minute, so that a key in use costs one write per minute. Rows locked by another transaction are skipped until the next lookup.
const NOTE_USE: PreparedQuery = {
  name: 'api_key_note_use',
  text: `update api_key set last_used_at = now() where id in (
    select id from api_key where id = any($1::uuid[]) and (last_used_at is null or last_used_at < now() - interval '1 minute') for no key update skip locked)`,
};

/** Not awaited. After a failure the next lookup of the key tries again. */
function noteUse(database: Autocommit, keyIds: readonly string[]): void {
  if (keyIds.length > 0) run(database, NOTE_USE, [keyIds]).catch(() => {});
}

/** Hash that identifies a token, in base64url; the database stores the same bytes. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Finds the callers of tokens by their hashes. Hashes of invalid tokens have no entry. */
export async function findCallers(database: Autocommit, hashes: readonly Buffer[]): Promise<Map<string, FoundCaller>> {
  const rows = await run<CallerRow>(database, CALLERS_OF_TOKENS, [hashes]);
  noteUse(
    database,
    rows.filter(({ isUseOld }) => isUseOld).map(({ keyId }) => keyId),
  );
  return new Map(
    rows.map(({ sha256, keyId, organisation, keyName, role, scope, importSuppliers, lifeMs }) => [
      sha256.toString('base64url'),
      { caller: { keyId, organisation, keyName, role, scope, importSuppliers: new Set(importSuppliers) }, lifeMs },
    ]),
  );
}

interface Waiting {
  sha256: Buffer;
  resolve(found: FoundCaller | undefined): void;
  reject(error: unknown): void;
}

/** Maximum number of hashes per query. */
const BATCH_MAX = 128;

export interface GatheredLookups {
  /** Lookups that are running or waiting. */
  readonly size: number;
  find(sha256: Buffer): Promise<FoundCaller | undefined>;
}

/** Looks up unknown tokens in batches, one query at a time, so that any number of them uses one connection. */
export function gatherLookups(database: Autocommit): GatheredLookups {
  let waiting: Waiting[] = [];
  let batch: Waiting[] = [];
  const runBatches = async (): Promise<void> => {
    while (waiting.length > 0) {
      batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      try {
        const found = await findCallers(
          database,
          batch.map(({ sha256 }) => sha256),
        );
        for (const one of batch) one.resolve(found.get(one.sha256.toString('base64url')));
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      batch = [];
    }
  };
  return {
    get size() {
      return waiting.length + batch.length;
    },
    find: (sha256) =>
      new Promise((resolve, reject) => {
        const isIdle = waiting.length === 0 && batch.length === 0;
        waiting.push({ sha256, resolve, reject });
        if (isIdle) void runBatches();
      }),
  };
}
