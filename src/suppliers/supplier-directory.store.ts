import type { Database } from '../platform/database/database.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { mapMaybe, type MaybePromise } from '../foundation/maybe-promise.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import { ImportSupplier, type SupplierOptions } from './import-supplier.entity.ts';

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
