import pMap, { pMapSkip } from 'p-map';
import type { Log } from '../platform/log.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { VendorBusy, VendorMisconfigured, VendorError } from '../vocabulary/vendor-errors.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';
import type { DocumentLocation, DocumentStores } from '../vendors/document-store/document-store.port.ts';
import { locateDocument, parseDocumentRoot, checksDocuments } from './supplier-options.rules.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

/** A document path, and the path of its member in the request. */
interface DocumentPosition {
  path: Path;
  documentPath: string;
}

/** Checks that the documents of a request exist, for suppliers with the option `check_documents`. */
export interface DocumentCheck {
  /** @returns a violation for each missing document (none if the option is off), or a refusal if the store is unavailable */
  findMissing(
    supplier: KnownSupplier,
    documents: readonly DocumentPosition[],
    log: Log,
  ): Promise<Violation[] | Refused>;
}

const AT_ONCE = 16;
const RETRY_SECONDS = 10;

/**
 * Creates the check. Call it before the transaction of the operation, so that no lock is held while the store is called.
 * @param deadlineMs time limit for all documents of one request
 */
export function createDocumentCheck(deps: { stores: DocumentStores; deadlineMs: number }): DocumentCheck {
  return {
    findMissing: async (supplier, documents, log) => {
      if (documents.length === 0 || !checksDocuments(supplier)) return [];
      try {
        const missing = await findMissingPaths(
          supplier,
          new Set(documents.map(({ documentPath }) => documentPath)),
          deps,
        );
        return documents
          .filter(({ documentPath }) => missing.has(documentPath))
          .map(({ path }) => violation('path_does_not_exist_in_file_store', path));
      } catch (error) {
        if (!(error instanceof VendorError)) throw error;
        const entry = { importSupplier: supplier.code, kind: error.name, why: error.message };
        if (error instanceof VendorMisconfigured) {
          log.error(entry, 'documents cannot be looked up until the set-up is mended');
        } else log.warn(entry, 'documents cannot be looked up');
        return refuse('service_unavailable', {
          retryAfterSeconds: error instanceof VendorBusy ? error.retryAfterSeconds : RETRY_SECONDS,
        });
      }
    },
  };
}

/** Looks up each distinct path, with limited concurrency. The first error aborts the rest. */
async function findMissingPaths(
  supplier: KnownSupplier,
  paths: ReadonlySet<string>,
  { stores, deadlineMs }: Parameters<typeof createDocumentCheck>[0],
): Promise<Set<string>> {
  const root = parseDocumentRoot(supplier.documentRoot ?? '');
  if (root === undefined) {
    throw new VendorMisconfigured(
      'The import supplier has no usable document_root: s3://bucket/prefix/ or file:///folder/.',
    );
  }
  const ended = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), ended.signal]);
  const unlessThere = async (path: string): Promise<string | typeof pMapSkip> => {
    const location = locateDocument(root, path);
    return location !== undefined && (await exists(stores, location, signal)) ? pMapSkip : path;
  };
  try {
    return new Set(await pMap(paths, unlessThere, { concurrency: AT_ONCE }));
  } finally {
    ended.abort();
  }
}

function exists(stores: DocumentStores, location: DocumentLocation, signal: AbortSignal): Promise<boolean> {
  return location.kind === 's3' ? stores.s3.exists(location, signal) : stores.folder.exists(location, signal);
}
