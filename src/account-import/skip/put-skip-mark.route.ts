import { recordAudit } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteSkipMarkOpenApi, putSkipMarkOpenApi } from './skip-mark.openapi.ts';
import { alreadyImported } from '../create/create-account.rules.ts';
import { accountKeySchema, type AccountKey } from '../../accounts/account-key.schema.ts';
import { skipMarkSchema, type SkipMark } from './skip-mark.schema.ts';
import { changeSkipMark } from './skip-mark.store.ts';

const PATH = '/v1/operations/account-import-processes/:supplier/:external/skip';
const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checkBody = compileOperatorBody<SkipMark>(skipMarkSchema);

/** `PUT account-import-processes/<supplier>/<external>/skip/`: marks an account to skip; it can then be neither staged nor created. */
export const putSkipMark = (deps: { database: Database }): Route => ({
  method: 'PUT',
  path: PATH,
  access: 'operator',
  action: 'change',
  contract: putSkipMarkOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => change(deps, request, 'skip_mark.set'),
});

/** `DELETE account-import-processes/<supplier>/<external>/skip/`: takes the mark away. The body with the reason may be left out. */
export const deleteSkipMark = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: PATH,
  access: 'operator',
  action: 'change',
  contract: deleteSkipMarkOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => change(deps, request, 'skip_mark.removed'),
});

async function change(
  deps: { database: Database },
  { params, body, caller }: AuthenticatedRequest,
  action: 'skip_mark.set' | 'skip_mark.removed',
): Promise<Reply | Refused> {
  const sent = checkBody(body ?? {});
  if (isRefused(sent)) return sent;
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  if (isRefused(key)) return unknownProcess();
  const done = await deps.database.transaction(async (em) => {
    const changed = await changeSkipMark(
      em,
      key,
      action === 'skip_mark.set' ? { reason: sent.reason || null } : undefined,
    );
    if (changed.kind !== 'changed') return changed;
    const subject = `account-import-processes/${key.import_supplier}/${key.external_account_number}/skip`;
    recordAudit(em, caller, { action, subject, before: changed.before, after: changed.after, reason: sent.reason });
    return changed;
  });
  switch (done.kind) {
    case 'unknown':
      return unknownProcess();
    case 'imported':
      return alreadyImported(key.external_account_number, done.accountNumber);
    case 'changed':
      return { status: 200, body: done.after };
  }
}

function unknownProcess(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}
