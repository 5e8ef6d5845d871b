import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { accountKeyPath } from '../../accounts/account-key.schema.ts';
import { explainUnknownSupplier } from '../../suppliers/supplier-status.rules.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { findTransferState } from './import-process.store.ts';
import { Type } from 'typebox';
import { oneOf, requiredInstant } from '../../platform/validation/field-types.schema.ts';

const withdrawnAccount = Type.Object(
  {
    service_account_number: Type.String({ examples: ['A-7KQ2M9XDT'] }),
    withdrawn_at: requiredInstant(),
    withdrawn_by: Type.String({ description: 'Name of your key, or `operators`.', examples: ['operators'] }),
    reason: Type.String({ examples: ['The file was of the wrong month.'] }),
    withdrawal_id: Type.String({ examples: ['019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c'] }),
  },
  { title: 'WithdrawnAccount' },
);

/** Operation 8: returns the state of one account import. */
export const findTransferStatus = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/account-transfer-status/:supplier/:external',
  access: 'supplier',
  openApi: {
    operationId: 'findAccountTransferStatus',
    tag: 'Accounts',
    summary: 'Read the progress of the import of an account',
    path: accountKeyPath,
    replies: {
      200: {
        description: 'The state of the import.',
        schema: Type.Object(
          {
            status: oneOf(['UNKNOWN', 'PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED'], { examples: ['PENDING'] }),
            service_account_number: Type.String({ description: 'Empty until the account is created.' }),
            withdrawn_accounts: Type.Optional(
              Type.Array(withdrawnAccount, { description: 'Accounts that were created and withdrawn, oldest first.' }),
            ),
          },
          { title: 'AccountTransferStatus' },
        ),
      },
    },
    refusals: ['not_found'],
  },
  handle: async ({ params, caller }) => {
    const { supplier = '', external = '' } = params;
    // Accounts of other suppliers are looked up like unknown ones, so that the response time is the same. No stored number contains U+0000,
    // which the database would reject.
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
