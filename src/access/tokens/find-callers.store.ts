import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { KeyRole, KeyScope } from '../../vocabulary/key-roles.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';

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
export async function findCallers(database: Queryable, hashes: readonly Buffer[]): Promise<Map<string, FoundCaller>> {
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
