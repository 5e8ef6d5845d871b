import type { Database, WritableDatabase } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { type SkipMark, skipMarkSchema, skipMarkView } from './skip-mark.schema.ts';
import { alreadyImportedMembers } from '../stage/already-imported.schema.ts';
import { type Actor, recordAudit } from '../../access/index.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { alreadyImported } from '../stage/already-imported.rules.ts';
import { type AccountKey, accountKeyPath, accountKeySchema } from '../../accounts/account-key.schema.ts';
import { changeSkipMark } from './skip-mark.store.ts';

const documented = {
  path: accountKeyPath,
  request: skipMarkSchema,
  requestExamples: { 'with a reason': { reason: 'Moved by hand' } },
  refusals: ['not_found', 'account_import_process_already_imported'],
  refusalMembers: { account_import_process_already_imported: alreadyImportedMembers },
} as const;

/** `PUT account-import-processes/<supplier>/<external>/skip/`: marks an account to skip, so that it can be neither staged nor created. */
export const putSkipMark = (deps: { database: Database }): Route => ({
  method: 'PUT',
  path: SKIP_MARK_PATH,
  access: 'operator',
  action: 'account.change',
  openApi: {
    ...documented,
    operationId: 'putSkipMark',
    summary: 'Set a skip mark on an account',
    description: 'A marked account can be neither staged nor created.',
    replies: {
      200: {
        description: 'The skip mark.',
        schema: skipMarkView,
        example: { skipped_at: '2026-11-20T17:00:00.000Z', skip_reason: 'Moved by hand' },
      },
    },
  },
  bodyLimitBytes: 16_384,
  handle: (request) => changeMark(deps, request, 'skip_mark.set'),
});

/** `DELETE account-import-processes/<supplier>/<external>/skip/`: removes the mark. The body is optional. */
export const deleteSkipMark = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: SKIP_MARK_PATH,
  access: 'operator',
  action: 'account.change',
  openApi: {
    ...documented,
    operationId: 'deleteSkipMark',
    summary: 'Remove a skip mark',
    description: 'The body with the reason is optional.',
    replies: { 200: { description: 'The account is not marked.', schema: skipMarkView } },
  },
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => changeMark(deps, request, 'skip_mark.removed'),
});

const SKIP_MARK_PATH = '/v1/operations/account-import-processes/:supplier/:external/skip';
const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checkBody = compileOperatorBody<SkipMark>(skipMarkSchema);

/** The account, reason and actor of a change: an API request or a form of the support site. */
interface MarkOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

/** Sets or removes the mark with an audit entry, and returns the API response. */
export async function changeMark(
  deps: { database: WritableDatabase },
  { params, body, caller }: MarkOrder,
  action: 'skip_mark.set' | 'skip_mark.removed',
): Promise<Reply | Refused> {
  const sent = checkBody(body === undefined ? {} : body);
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
    await recordAudit(em, caller, {
      action,
      subject,
      before: changed.before,
      after: changed.after,
      reason: sent.reason,
    });
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
