import { run, type Autocommit, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { mapMaybe, type MaybePromise } from '../foundation/maybe-promise.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import type { SupplierOptions } from './import-supplier.entity.ts';

/** What the hot path needs to know of a supplier. */
export interface KnownSupplier {
  code: string;
  status: SupplierStatus;
  documentRoot: string | null;
  options: SupplierOptions;
  /** Raised whenever the options change, so that values derived from them can be cached until then. */
  optionsRevision: number;
}

/** The registered suppliers, at most one second old. */
export interface SupplierDirectory {
  /** Undefined when no supplier has this code. Throws when the database cannot be read and the copy is too old. */
  find(code: string): MaybePromise<KnownSupplier | undefined>;
  /** Every supplier by code, under the same promise. */
  all(): MaybePromise<ReadonlyMap<string, KnownSupplier>>;
  /** Drops the copy, so that a change made in this process is seen at once. */
  forget(): void;
}

const STALE_AFTER_MS = 1_000;

const ALL_SUPPLIERS: PreparedQuery = {
  name: 'supplier_directory',
  text: 'select code, status, document_root as "documentRoot", options, options_revision as "optionsRevision" from import_supplier',
};

/**
 * Makes the directory: one query for all suppliers at most once a second, shared by all who ask meanwhile. Age is
 * counted from before the query was sent, so no answer is ever older than a second when it is given.
 */
export function createSupplierDirectory(deps: { database: Autocommit; now?: () => number }): SupplierDirectory {
  const cache = createShortCache<'all', ReadonlyMap<string, KnownSupplier>>({
    ask: async () => {
      const rows = await run<KnownSupplier & Record<string, unknown>>(deps.database, ALL_SUPPLIERS, []);
      return new Map(rows.map((row) => [row.code, row]));
    },
    forMs: STALE_AFTER_MS,
    joinedForMs: STALE_AFTER_MS,
    now: deps.now,
  });
  const all = () => cache.get('all') ?? cache.fetch('all');
  const find = (code: string) => mapMaybe(all(), (known) => known.get(code));
  return { find, all, forget: () => cache.forget('all') };
}

/** The codes of all suppliers in order, for people to choose from. */
export async function supplierCodes(suppliers: SupplierDirectory): Promise<string[]> {
  return [...(await suppliers.all()).keys()].toSorted();
}

/**
 * The supplier that a request names, if it is registered and the client may import for it; both look the same to the client.
 * @param request its body is read as it was sent, before validation
 * @param member which member of the body names the supplier
 */
export function findSupplierInScope(
  suppliers: SupplierDirectory,
  { body, caller }: { body: unknown; caller: { importSuppliers: ReadonlySet<string> } },
  member: 'import_supplier' | 'import_supplier_code',
): MaybePromise<KnownSupplier | undefined> {
  const wanted = textOf(membersIn(body)[member]).trim();
  return caller.importSuppliers.has(wanted) ? suppliers.find(wanted) : undefined;
}
