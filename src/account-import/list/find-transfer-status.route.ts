import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { explainUnknownSupplier } from '../../suppliers/supplier-status.rules.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { findTransferStatusOpenApi } from './find-transfer-status.openapi.ts';
import { findTransferState } from './import-process.store.ts';

/** Operation 8: the state of one account import. */
export const findTransferStatus = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/account-transfer-status/:supplier/:external',
  access: 'supplier',
  openApi: findTransferStatusOpenApi,
  handle: async ({ params, caller }) => {
    const { supplier = '', external = '' } = params;
    // Numbers of other suppliers are looked up like unknown ones, so that the response time is the same.
    // No stored number contains U+0000, and the database would reject it.
    const state = external.includes('\u0000')
      ? undefined
      : await findTransferState(deps.database, caller.importSuppliers.has(supplier) ? supplier : '', external);
    return state
      ? { status: 200, body: state }
      : refuse('not_found', {
          detail: explainUnknownSupplier(
            caller,
            'There is no import process for this import supplier and account number.',
          ),
        });
  },
});
