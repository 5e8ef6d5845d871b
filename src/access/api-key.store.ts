import { hash, randomBytes } from 'node:crypto';
import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { ApiKeyImportSupplier } from './api-key-import-supplier.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import type { ApiKeyView, CreateApiKey } from './api-key.schema.ts';
import { SECRET_BYTES, SECRET_START_LENGTH, writeSecret } from './token.rules.ts';

/** What `createAuditedApiKey` writes to, for a process that does nothing else. */
export const apiKeyEntities = [ApiKey, ApiKeyImportSupplier];

export interface IssuedKey {
  /** The secret; this is the only moment at which it exists outside the client. */
  secret: string;
  view: ApiKeyView;
}

/**
 * Makes a key, and its organisation if it is new.
 * @returns the key, or a violation for each import supplier that is not registered
 */
export async function issueApiKey(em: EntityManager, wanted: CreateApiKey): Promise<IssuedKey | Violation[]> {
  const codes = [...new Set(wanted.import_suppliers)];
  const unknown = await findUnregistered(em, wanted.import_suppliers ?? []);
  if (unknown.length > 0) return unknown;
  const secret = writeSecret('key', randomBytes(SECRET_BYTES));
  const key = em.create(ApiKey, {
    id: uuidv7(),
    organisationId: await organisationId(em, wanted.organisation),
    name: wanted.name,
    role: wanted.role,
    scope: wanted.scope || 'all',
    ...(wanted.expires_at ? { expiresAt: new Date(wanted.expires_at) } : {}),
    secretSha256: hash('sha256', secret, 'buffer'),
    secretStart: secret.slice(0, SECRET_START_LENGTH),
  });
  await em.persist(key).flush();
  for (const importSupplier of codes) em.create(ApiKeyImportSupplier, { apiKeyId: key.id, importSupplier });
  await em.flush();
  return { secret, view: viewKey(key, wanted.organisation, codes.sort()) };
}

/**
 * Ends a key; its tokens end with it, because each check of a token asks the key.
 * @returns undefined when there is no such key; `before` equals `after` when it was revoked already; the last key that could issue another is not ended
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

/** The operators' keys in force that may issue keys. Locked in one order, so that of two who revoke each other's one is refused. */
async function lockIssuers(em: EntityManager): Promise<{ id: string }[]> {
  return em.execute<
    { id: string }[]
  >(`select id from api_key where role = 'operator' and scope = 'all' and revoked_at is null and (expires_at is null or expires_at > now())
    order by id for update`);
}

type KeyRow = {
  [Member in keyof ApiKeyView]: Member extends `${string}_at` ? Date | null : ApiKeyView[Member];
};

/** All keys, newest first, those revoked included; or the one with the given id. */
export async function findApiKeys(em: EntityManager, id: string | null = null): Promise<ApiKeyView[]> {
  const rows: KeyRow[] = await em.execute(
    `select k.id, o.name as organisation, k.name, k.role, k.scope, k.secret_start as starts_with, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
       array(select s.import_supplier from api_key_import_supplier s where s.api_key_id = k.id order by 1) as import_suppliers
     from api_key k join organisation o on o.id = k.organisation_id
     where ?::uuid is null or k.id = ?::uuid
     order by k.created_at desc, k.id desc`,
    [id, id],
  );
  return rows.map(
    ({
      id: keyId,
      organisation,
      name,
      role,
      scope,
      import_suppliers,
      starts_with,
      created_at,
      expires_at,
      last_used_at,
      revoked_at,
    }) => ({
      id: keyId,
      organisation,
      name,
      role,
      scope,
      import_suppliers,
      starts_with,
      created_at: instantOf(created_at)!,
      expires_at: instantOf(expires_at),
      last_used_at: instantOf(last_used_at),
      revoked_at: instantOf(revoked_at),
    }),
  );
}

function instantOf(value: Date | null): string | null {
  return value?.toISOString() ?? null;
}

/** The organisation of this name; made when it is new. */
async function organisationId(em: EntityManager, name: string): Promise<string> {
  await em.execute('insert into organisation (id, name) values (?, ?) on conflict (name) do nothing', [uuidv7(), name]);
  const [row] = await em.execute<{ id: string }[]>('select id from organisation where name = ?', [name]);
  return row!.id;
}

async function findUnregistered(em: EntityManager, codes: readonly string[]): Promise<Violation[]> {
  // The register belongs to `suppliers`; only its key is asked here, as the foreign key would, but for all codes at once.
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

function viewKey(key: ApiKey, organisation: string, codes: string[]): ApiKeyView {
  return {
    id: key.id,
    organisation,
    name: key.name,
    role: key.role,
    scope: key.scope,
    import_suppliers: codes,
    starts_with: key.secretStart,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: null,
    revoked_at: null,
  };
}
