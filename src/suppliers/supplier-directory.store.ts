import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';
import type { SupplierOptions } from './import-supplier.entity.ts';

/** What the hot path needs to know of a supplier. */
export interface KnownSupplier {
  code: string;
  status: SupplierStatus;
  documentRoot: string | null;
  options: SupplierOptions;
  /** Raised whenever the options change, so that what was derived from them can be kept until then. */
  optionsRevision: number;
}

/** The registered suppliers, at most one second old. */
export interface SupplierDirectory {
  /** Undefined when no supplier has this code. Throws when the database cannot be read and the copy is too old. */
  find(code: string): Promise<KnownSupplier | undefined>;
  /** Every supplier by code, under the same promise. */
  all(): Promise<ReadonlyMap<string, KnownSupplier>>;
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
export function createSupplierDirectory(deps: { database: Queryable; now?: () => number }): SupplierDirectory {
  const now = deps.now ?? (() => performance.now());
  let copy: ReadonlyMap<string, KnownSupplier> | undefined;
  let reading: Promise<ReadonlyMap<string, KnownSupplier>> | undefined;
  let readAt = 0;

  const read = (): Promise<ReadonlyMap<string, KnownSupplier>> => {
    const mine = run<KnownSupplier & Record<string, unknown>>(deps.database, ALL_SUPPLIERS, []).then(
      (rows) => {
        const found = new Map<string, KnownSupplier>(rows.map((row) => [row.code, row]));
        if (reading === mine) {
          copy = found;
          reading = undefined;
        }
        return found;
      },
      (error: unknown) => {
        if (reading === mine) reading = undefined;
        throw error;
      },
    );
    readAt = now();
    copy = undefined;
    reading = mine;
    return mine;
  };
  const current = (): ReadonlyMap<string, KnownSupplier> | Promise<ReadonlyMap<string, KnownSupplier>> => {
    const isFresh = now() - readAt < STALE_AFTER_MS;
    return (isFresh ? (copy ?? reading) : undefined) ?? read();
  };
  return {
    find: async (code) => (await current()).get(code),
    all: async () => current(),
    forget: () => {
      copy = undefined;
      reading = undefined;
    },
  };
}

/**
 * The supplier that a request names, if it is registered and the client may import for it; both look the same to the client.
 * @param code the field as sent, whatever it holds
 */
export async function findSupplierInScope(
  suppliers: SupplierDirectory,
  scope: ReadonlySet<string>,
  code: unknown,
): Promise<KnownSupplier | undefined> {
  const wanted = typeof code === 'string' ? code.trim() : '';
  return scope.has(wanted) ? suppliers.find(wanted) : undefined;
}
