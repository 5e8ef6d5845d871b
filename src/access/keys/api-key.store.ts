import { hash, randomBytes } from 'node:crypto';
import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { ApiKeyImportSupplier, type ApiKeyImportSupplierTable, ApiKey, type ApiKeyTable } from './api-key.entity.ts';
import type { OrganisationTable } from '../organisations/organisation.entity.ts';
import type { ApiKeyView, CreateApiKey } from './api-key.schema.ts';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Viewer } from '../../platform/http/route.ts';
import { SECRET_BYTES, SECRET_START_LENGTH, writeSecret } from '../tokens/token.rules.ts';

/** The entities that `createAuditedApiKey` writes, for a process that needs no others. */
export const apiKeyEntities = [ApiKey, ApiKeyImportSupplier];

export interface IssuedKey {
  /** The secret, which is not stored. */
  secret: string;
  view: ApiKeyView;
}

/**
 * Creates a key, and its organization if it does not exist.
 * @param id of the new key; retries send the same id
 * @returns the key; or violations for import suppliers that are not registered; or 'made before' if the id exists
 */
export async function issueApiKey(
  em: EntityManager,
  wanted: CreateApiKey,
  id: string,
): Promise<IssuedKey | Violation[] | 'made before'> {
  const codes = [...new Set(wanted.import_suppliers)];
  const unknown = await findUnregistered(em, wanted.import_suppliers ?? []);
  if (unknown.length > 0) return unknown;
  const secret = writeSecret('key', randomBytes(SECRET_BYTES));
  const made = await em
    .getKysely<ApiKeyTable>()
    .insertInto('api_key')
    .values({
      id,
      organisation_id: await organisationId(em, wanted.organisation),
      name: wanted.name,
      role: wanted.role,
      scope: wanted.scope || 'all',
      expires_at: wanted.expires_at ? new Date(wanted.expires_at) : null,
      secret_sha256: hash('sha256', secret, 'buffer'),
      secret_start: secret.slice(0, SECRET_START_LENGTH),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) return 'made before';
  for (const importSupplier of codes) em.create(ApiKeyImportSupplier, { apiKeyId: id, importSupplier });
  await em.flush();
  return { secret, view: (await findApiKeys(em, id))[0]! };
}

/**
 * Revokes a key. Its tokens become invalid too, because each check of a token reads the key.
 * @returns undefined if there is no such key; equal states if it was already revoked; 'last' if it is the last key that can issue keys
 */
export async function endApiKey(
  em: EntityManager,
  id: string,
): Promise<{ before: ApiKeyView; after: ApiKeyView } | 'last' | undefined> {
  const issuers = await lockIssuers(em);
  if (issuers.length === 1 && issuers[0]!.id === id) return 'last';
  const key = await em.findOne(ApiKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const before = (await findApiKeys(em, id))[0];
  if (key === null || before === undefined) return undefined;
  if (before.revoked_at !== null) return { before, after: before };
  key.revokedAt = raw('now()');
  await em.flush();
  return { before, after: (await findApiKeys(em, id))[0]! };
}

/** Locks the valid operator keys that may issue keys, in one order, so that of two operators who revoke each other's key one is refused. */
async function lockIssuers(em: EntityManager): Promise<{ id: string }[]> {
  return em
    .getKysely<ApiKeyTable>()
    .selectFrom('api_key')
    .select('id')
    .where('role', '=', 'operator')
    .where('scope', '=', 'all')
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', sql<Date>`now()`)]))
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Returns when the next valid key expires; undefined if none does. */
export async function findNextKeyEnd(on: Queryable): Promise<Date | undefined> {
  const row = await kyselyOf<ApiKeyTable>(on)
    .selectFrom('api_key')
    .select((select) => select.fn.min('expires_at').as('endsAt'))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.endsAt ?? undefined;
}

/** Finds the oldest valid supplier key that may import for an import supplier, with its organization. @param organisation undefined for any */
export async function findKeyOfSupplier(
  on: Queryable,
  importSupplier: string,
  organisation: string | undefined,
): Promise<{ keyId: string; organisation: string } | undefined> {
  return kyselyOf<ApiKeyTable & ApiKeyImportSupplierTable & OrganisationTable>(on)
    .selectFrom('api_key_import_supplier as s')
    .innerJoin('api_key as k', 'k.id', 's.api_key_id')
    .innerJoin('organisation as o', 'o.id', 'k.organisation_id')
    .select(['k.id as keyId', 'o.name as organisation'])
    .where('s.import_supplier', '=', importSupplier)
    .$if(organisation !== undefined, (keys) => keys.where('o.name', '=', organisation!))
    .where('k.role', '=', 'supplier')
    .where('k.revoked_at', 'is', null)
    .where((is) => is.or([is('k.expires_at', 'is', null), is('k.expires_at', '>', sql<Date>`now()`)]))
    .orderBy('k.id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns all keys including revoked ones, newest first, or only the key with the given id. */
export async function findApiKeys(em: EntityManager, id: string | null = null): Promise<ApiKeyView[]> {
  let keys = em
    .getKysely<ApiKeyTable & ApiKeyImportSupplierTable & OrganisationTable>()
    .selectFrom('api_key as k')
    .innerJoin('organisation as o', 'o.id', 'k.organisation_id')
    .select((select) => [
      'k.id',
      'o.name as organisation',
      'k.name',
      'k.role',
      'k.scope',
      'k.secret_start as starts_with',
      'k.created_at',
      'k.expires_at',
      'k.last_used_at',
      'k.revoked_at',
      sql<string[]>`array(${select
        .selectFrom('api_key_import_supplier as s')
        .select('s.import_supplier')
        .whereRef('s.api_key_id', '=', 'k.id')
        .orderBy('s.import_supplier')})`.as('import_suppliers'),
    ]);
  if (id !== null) keys = keys.where('k.id', '=', id);
  const found = await keys.orderBy('k.created_at', 'desc').orderBy('k.id', 'desc').execute();
  return found.map(({ import_suppliers, starts_with, ...key }) => ({
    id: key.id,
    organisation: key.organisation,
    name: key.name,
    role: key.role,
    scope: key.scope,
    import_suppliers,
    starts_with,
    created_at: key.created_at.toISOString(),
    expires_at: key.expires_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
  }));
}

/** Returns the keys that suppliers use only for what the viewer may see, newest first. */
export async function findKeysOfViewer(em: EntityManager, viewer: Viewer): Promise<ApiKeyView[]> {
  const isOwn = ({ role, organisation, import_suppliers: codes }: ApiKeyView) =>
    role === 'supplier' &&
    codes.length > 0 &&
    codes.every((code) => viewer.importSuppliers.has(code)) &&
    (viewer.organisation === undefined || viewer.organisation === organisation);
  return (await findApiKeys(em)).filter(isOwn);
}

/** Returns the id of the organization with this name. Creates it if it does not exist. */
async function organisationId(em: EntityManager, name: string): Promise<string> {
  const kysely = em.getKysely<OrganisationTable>();
  await kysely
    .insertInto('organisation')
    .values({ id: uuidv7(), name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  // A separate statement, so that it sees a row committed by a concurrent transaction.
  return (await kysely.selectFrom('organisation').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id;
}

async function findUnregistered(em: EntityManager, codes: readonly string[]): Promise<Violation[]> {
  // Table of `suppliers`: only the codes are checked, like a foreign key would, but all in one statement.
  const rows: { code: string }[] = await em.execute(
    'select code from import_supplier where code in (select jsonb_array_elements_text(?::jsonb))',
    [JSON.stringify(codes)],
  );
  const registered = new Set(rows.map(({ code }) => code));
  return codes.flatMap((code, index) =>
    registered.has(code)
      ? []
      : [violation('invalid_choice', ['import_suppliers', index], 'There is no import supplier with this code.')],
  );
}
