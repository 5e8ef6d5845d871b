import type { Database } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import type { DocumentCheck, KnownSupplier } from '../../suppliers/index.ts';
import { migrationNotOngoing } from '../../suppliers/supplier-status.rules.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { stageAccountOpenApi } from './stage-account.openapi.ts';
import { checkAccountPayload, stagedForm, type PayloadDeps } from '../validate/check-account-payload.validation.ts';
import { refuseMissingDocuments } from '../validate/check-documents.validation.ts';
import { alreadyImported } from '../already-imported.rules.ts';
import {
  stageAccount as stageAccountInDatabase,
  type StagedAccount,
  type StagingOutcome,
} from './stage-account.store.ts';
import type { StagedQuota } from './staged-quota.store.ts';

/** Operation 2: stages an account, or replaces what was staged. */
export const stageAccount = (
  deps: PayloadDeps & {
    database: Database;
    documents: DocumentCheck;
    stagedQuota: StagedQuota;
    bodyLimitBytes: number;
  },
): Route => ({
  method: 'POST',
  path: '/v1/data-import/account-import-process/create-or-update',
  access: 'supplier',
  openApi: stageAccountOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const checked = await checkAccountPayload(request, deps);
    if (isRefused(checked)) return checked;
    const missing = await refuseMissingDocuments(deps.documents, checked.supplier, checked.account, request.log);
    if (missing) return missing;
    const staged = stagedForm(checked);
    return stageWithinQuota(deps, checked.supplier, staged);
  },
});

/** Takes a place in the supplier's quota first; gives it back when no account was added. */
async function stageWithinQuota(
  deps: { database: Database; stagedQuota: StagedQuota },
  supplier: KnownSupplier | undefined,
  staged: StagedAccount,
): Promise<Reply | Refused> {
  const place = await deps.stagedQuota.take(supplier, staged.externalAccountNumber);
  if (isRefused(place)) return place;
  let isNew = false;
  try {
    const outcome = await stageAccountInDatabase(deps.database, staged);
    isNew = outcome.kind === 'staged' && outcome.revision === 1;
    return answer(staged.importSupplier, staged.externalAccountNumber, outcome);
  } finally {
    if (!isNew) place.giveBack();
  }
}

function answer(importSupplier: string, externalAccountNumber: string, outcome: StagingOutcome): Reply | Refused {
  switch (outcome.kind) {
    case 'staged':
      return {
        status: outcome.revision === 1 ? 201 : 200,
        body: { import_supplier: importSupplier, external_account_number: externalAccountNumber },
      };
    case 'imported':
      return alreadyImported(externalAccountNumber, outcome.accountNumber);
    case 'skipped':
      return refuse('import_process_marked_to_skip');
    case 'not-ongoing':
      return migrationNotOngoing(outcome.status);
  }
}
