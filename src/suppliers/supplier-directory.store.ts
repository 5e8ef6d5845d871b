import type { Database } from '../platform/database/database.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { mapMaybe, type MaybePromise } from '../foundation/maybe-promise.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import { ImportSupplier, type SupplierOptions } from './import-supplier.entity.ts';
import { isDeepStrictEqual } from 'node:util';
import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ResourceChange } from '../platform/http/resource-routes.ts';
import type { ImportSupplierView, PutImportSupplier } from './import-supplier.schema.ts';

/** A supplier as needed by every request. */
export interface KnownSupplier {
  code: string;
  status: SupplierStatus;
  documentRoot: string | null;
  options: SupplierOptions;
  /** Incremented when the options change, so that derived values can be cached. */
  optionsRevision: number;
}

/** The registered suppliers, at most one second old. */
export interface SupplierDirectory {
  /** Returns undefined if no supplier has this code. Throws if the database is unavailable and the copy is too old. */
  find(code: string): MaybePromise<KnownSupplier | undefined>;
  /** Returns all suppliers by code, like `find`. */
  all(): MaybePromise<ReadonlyMap<string, KnownSupplier>>;
  /** Drops the copy, so that a change made in this process is visible immediately. */
  forget(): void;
}

const STALE_AFTER_MS = 1_000;

/**
 * Creates the directory: at most one query per second for all suppliers, shared by concurrent callers. Age counts from before the query was
 * sent, so a result is never older than a second.
 */
export function createSupplierDirectory(deps: {
  database: Pick<Database, 'em'>;
  now?: () => number;
}): SupplierDirectory {
  const cache = createShortCache<'all', ReadonlyMap<string, KnownSupplier>>({
    load: async () => {
      const suppliers = await deps.database.em().find(ImportSupplier, {});
      return new Map(
        suppliers.map(({ code, status, documentRoot = null, options, optionsRevision }) => [
          code,
          { code, status, documentRoot, options, optionsRevision },
        ]),
      );
    },
    forMs: STALE_AFTER_MS,
    joinedForMs: STALE_AFTER_MS,
    now: deps.now,
  });
  const all = () => cache.get('all') ?? cache.fetch('all');
  const find = (code: string) => mapMaybe(all(), (known) => known.get(code));
  return { find, all, forget: () => cache.forget('all') };
}

/** The codes of all suppliers in order, for select lists. */
export async function supplierCodes(suppliers: SupplierDirectory): Promise<string[]> {
  return [...(await suppliers.all()).keys()].toSorted();
}

/**
 * Returns the supplier of a request if it is registered and within the caller's scope; the caller cannot distinguish the two.
 * @param request its body, before validation
 * @param member name of the member with the supplier code
 */
export function findSupplierInScope(
  suppliers: SupplierDirectory,
  { body, caller }: { body: unknown; caller: { importSuppliers: ReadonlySet<string> } },
  member: 'import_supplier' | 'import_supplier_code',
): MaybePromise<KnownSupplier | undefined> {
  const wanted = textOf(membersIn(body)[member]).trim();
  return caller.importSuppliers.has(wanted) ? suppliers.find(wanted) : undefined;
}

/** Creates a supplier or changes the given members. Locks the row, so that no concurrent change is lost. */
export async function changeImportSupplier(
  em: EntityManager,
  code: string,
  change: PutImportSupplier,
): Promise<ResourceChange> {
  const inserted: unknown[] = await em.execute(
    'insert into import_supplier (code, name) values (?, ?) on conflict (code) do nothing returning code',
    [code, code],
  );
  const supplier = await em.findOneOrFail(ImportSupplier, { code }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const before = viewSupplier(supplier);
  const options = mergeOptions(supplier.options, change.options);
  em.assign(supplier, {
    name: change.name ?? supplier.name,
    status: change.status ?? supplier.status,
    documentRoot: change.document_root === undefined ? supplier.documentRoot : change.document_root || null,
    reason: change.reason === undefined ? supplier.reason : change.reason || null,
  });
  if (!isDeepStrictEqual(options, supplier.options)) {
    supplier.options = options;
    supplier.optionsRevision += 1;
  }
  const created = inserted.length > 0;
  if (!isDeepStrictEqual(before, viewSupplier(supplier))) {
    supplier.updatedAt = raw('now()');
    await em.flush();
  }
  return { created, before: created ? undefined : before, after: viewSupplier(supplier) };
}

/** Finds a registered supplier. */
export async function findSupplierByCode(em: EntityManager, code: string): Promise<ImportSupplierView | undefined> {
  const supplier = await em.findOne(ImportSupplier, { code });
  return supplier === null ? undefined : viewSupplier(supplier);
}

/** Returns all suppliers, ordered by code. */
export async function findAllImportSuppliers(em: EntityManager): Promise<ImportSupplierView[]> {
  return (await em.find(ImportSupplier, {}, { orderBy: { code: 'asc' } })).map(viewSupplier);
}

/** Each sent option replaces the stored one; `null` removes it, so that the default applies. */
function mergeOptions(current: SupplierOptions, sent: SupplierOptions | undefined): SupplierOptions {
  if (sent === undefined) return current;
  // Serialized, because numbers whose digits are preserved (json-body.ts) must compare equal to those read from the database.
  const plain = JSON.parse(JSON.stringify(sent)) as SupplierOptions;
  return Object.fromEntries(Object.entries({ ...current, ...plain }).filter(([, value]) => value !== null));
}

function viewSupplier(supplier: ImportSupplier): ImportSupplierView {
  return {
    code: supplier.code,
    name: supplier.name,
    status: supplier.status,
    document_root: supplier.documentRoot ?? null,
    options: supplier.options,
    options_revision: supplier.optionsRevision,
    reason: supplier.reason ?? null,
    created_at: supplier.createdAt.toISOString(),
    updated_at: supplier.updatedAt.toISOString(),
  };
}
