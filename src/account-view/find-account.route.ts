import { Readable } from 'node:stream';
import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { findAccountOpenApi } from './account-view.openapi.ts';
import { findAccountWarnings } from './find-account-warnings.store.ts';
import { findAccount as findAccountInDatabase } from './find-account.store.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/**
 * `GET accounts/<supplier>/<external>/`: all that is stored of an import process and its account. It holds
 * personal data, so each read leaves a line in the audit.
 */
export const findAccount = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/accounts/:supplier/:external',
  access: 'operator',
  action: 'read',
  openApi: findAccountOpenApi,
  handle: async ({ params, caller }) => {
    const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
    const json = isRefused(key)
      ? undefined
      : await deps.database.transaction(async (em) => {
          const found = await findAccountInDatabase(em, key);
          if (found !== undefined) {
            await recordAudit(em, caller, {
              action: 'account.read',
              subject: `accounts/${key.import_supplier}/${key.external_account_number}`,
            });
          }
          return found;
        });
    if (json === undefined || isRefused(key)) {
      return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
    }
    const warnings = await findAccountWarnings(deps.database, key, 'operator');
    return { status: 200, body: Readable.from([`${json.slice(0, -1)}, "warnings": ${JSON.stringify(warnings)}}`]) };
  },
});
