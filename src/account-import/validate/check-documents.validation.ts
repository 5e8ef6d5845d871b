import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import {
  checksDocuments,
  type DocumentCheck,
  type KnownSupplier,
  type SupplierDirectory,
} from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { AccountPayload } from './account-payload.schema.ts';
import { documentPlaces } from './attachment.rules.ts';
import { stagedDataInvalid } from '../create/create-account.rules.ts';
import { acceptUnderRoot, findStagedElsewhere, noteStagedRefusal } from '../stage/staged-document.store.ts';

/** Looks up the documents of a valid account, for operations 1 and 2; only for suppliers with the option `check_documents`. */
export async function refuseMissingDocuments(
  documents: DocumentCheck,
  supplier: KnownSupplier | undefined,
  account: AccountPayload,
  log: Log,
): Promise<Refused | undefined> {
  if (supplier === undefined || !checksDocuments(supplier)) return undefined;
  const missing = await documents.findMissing(supplier, documentPlaces(account), log);
  if (isRefused(missing)) return missing;
  return missing.length === 0 ? undefined : refuse('account_failed_validation', { violations: missing });
}

export interface StagedDocumentDeps {
  database: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
}

/**
 * Looks up again, before a creation, the documents of what was staged under another root than today's; only for suppliers
 * with the option `check_documents`. Before the transaction of the creation, so that no lock waits for the store.
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
  const missing = await deps.documents.findMissing(supplier, documentPlaces(staged.payload), log);
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
