import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import { checksDocuments, type DocumentCheck, type SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { documentPositions } from '../validate/attachment.rules.ts';
import { stagedDataInvalid } from './create-account.rules.ts';
import { acceptUnderRoot, findStagedElsewhere, noteStagedRefusal } from './staged-document.store.ts';

export interface StagedDocumentDeps {
  database: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
}

/**
 * Checks the documents of an account that was staged under a different document root, for suppliers with the option `check_documents`. Call
 * it before the creation's transaction, so that no lock is held while the file store is called.
 */
export async function refuseMissingStagedDocuments(
  deps: StagedDocumentDeps,
  wanted: { importSupplier: string; externalAccountNumber: string; isDryRun: boolean },
  log: Log,
): Promise<Refused | undefined> {
  const supplier = await deps.suppliers.find(wanted.importSupplier);
  if (supplier?.status !== 'Ongoing' || !checksDocuments(supplier)) return undefined;
  const staged = await findStagedElsewhere(
    deps.database,
    wanted.importSupplier,
    wanted.externalAccountNumber,
    supplier.documentRoot,
  );
  if (staged === undefined) return undefined;
  const missing = await deps.documents.findMissing(supplier, documentPositions(staged.payload), log);
  if (isRefused(missing)) return missing;
  if (missing.length > 0) {
    const refused = stagedDataInvalid(missing);
    if (!wanted.isDryRun) {
      await noteStagedRefusal(deps.database, staged, { code: refused.code, errors: missing.slice(0, 100) });
    }
    return refused;
  }
  if (!wanted.isDryRun) await acceptUnderRoot(deps.database, staged, supplier.documentRoot);
  return undefined;
}
