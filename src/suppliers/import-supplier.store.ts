import { isDeepStrictEqual } from 'node:util';
import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ResourceChange } from '../platform/http/resource-routes.ts';
import { ImportSupplier, type SupplierOptions } from './import-supplier.entity.ts';
import type { ImportSupplierView, PutImportSupplier } from './import-supplier.schema.ts';

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
