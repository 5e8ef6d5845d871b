import type { Log } from '../../platform/log.ts';
import { checksDocuments, type DocumentCheck, type KnownSupplier } from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import type { AccountPayload } from './account-payload.schema.ts';
import { documentPlaces } from './attachment.rules.ts';

/** Looks up the documents of a valid account, for operations 1 and 2; only for suppliers with the option `check_documents`. */
export function refuseMissingDocuments(
  documents: DocumentCheck,
  supplier: KnownSupplier | undefined,
  account: AccountPayload,
  log: Log,
): MaybePromise<Refused | undefined> {
  return supplier === undefined || !checksDocuments(supplier)
    ? undefined
    : refuseMissing(documents, supplier, account, log);
}

async function refuseMissing(
  documents: DocumentCheck,
  supplier: KnownSupplier,
  account: AccountPayload,
  log: Log,
): Promise<Refused | undefined> {
  const missing = await documents.findMissing(supplier, documentPlaces(account), log);
  if (isRefused(missing)) return missing;
  return missing.length === 0 ? undefined : refuse('account_failed_validation', { violations: missing });
}
