import type { Database } from '../platform/database/database.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { checkAccountPayload, stagedForm, type PayloadDeps } from './check-account-payload.validation.ts';
import { alreadyImported, migrationNotOngoing } from './create-account.rules.ts';
import { stageAccount, type StagingOutcome } from './stage-account.store.ts';

/** Operation 2: stages an account, or replaces what was staged (specification 3.1). */
export const stageAccountRoute = (deps: PayloadDeps & { database: Database; bodyLimitBytes: number }): Route => ({
  method: 'POST',
  path: '/v1/data-import/account-import-process/create-or-update',
  access: 'supplier',
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async ({ body, caller }) => {
    const checked = await checkAccountPayload(body, caller, deps);
    if (isRefused(checked)) return checked;
    const staged = stagedForm(checked);
    return answer(staged.importSupplier, staged.externalAccountNumber, await stageAccount(deps.database, staged));
  },
});

function answer(importSupplier: string, externalAccountNumber: string, outcome: StagingOutcome): Reply | Refused {
  switch (outcome.kind) {
    case 'staged':
      return { status: outcome.revision === 1 ? 201 : 200, body: { import_supplier: importSupplier, external_account_number: externalAccountNumber } };
    case 'imported':
      return alreadyImported(externalAccountNumber, outcome.accountNumber);
    case 'skipped':
      return refuse('import_process_marked_to_skip');
    case 'not-ongoing':
      return migrationNotOngoing(outcome.status);
  }
}
