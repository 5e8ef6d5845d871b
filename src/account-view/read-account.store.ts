import { recordAudit, type Actor } from '../access/index.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { findAccountWarnings } from './find-account-warnings.store.ts';
import { findAccount } from './find-account.store.ts';
import { findRevision } from './find-revision.store.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/** How a read stands in the audit. */
export type AuditedRead = 'account.read' | 'account.contact_data_revealed';

/**
 * All that is stored of an import process and its account, for an operator. It holds personal data, so each read leaves a
 * line in the audit.
 * @returns JSON text, which keeps digits that a number of JavaScript would lose; a refusal where there is no such process
 */
export async function readAccount(
  database: Database,
  actor: Actor,
  { supplier, external }: { supplier: string | undefined; external: string | undefined },
  action: AuditedRead = 'account.read',
): Promise<string | Refused> {
  const key = checkKey({ import_supplier: supplier, external_account_number: external });
  if (isRefused(key)) return unknownProcess();
  const json = await database.transaction(async (em) => {
    const found = await findAccount(em, key);
    if (found !== undefined) await recordAudit(em, actor, { action, subject: subjectOf(key) });
    return found;
  });
  if (json === undefined) return unknownProcess();
  const warnings = await findAccountWarnings(database, key, 'operator');
  return `${json.slice(0, -1)}, "warnings": ${JSON.stringify(warnings)}}`;
}

/**
 * One revision of what was staged for an account, with what it changed; audited as a read of the account.
 * @param params `supplier`, `external` and `revision` of a path
 * @returns JSON text; a refusal where there is no such revision
 */
export async function readRevision(
  database: Database,
  actor: Actor,
  { supplier, external, revision = '' }: Readonly<Record<string, string>>,
  action: AuditedRead = 'account.read',
): Promise<string | Refused> {
  const key = checkKey({ import_supplier: supplier, external_account_number: external });
  if (isRefused(key) || !/^\d{1,9}$/.test(revision)) return unknownRevision();
  const json = await findRevision(database, key, Number(revision));
  if (json === undefined) return unknownRevision();
  await recordAudit(database, actor, { action, subject: subjectOf(key) });
  return json;
}

function unknownRevision(): Refused {
  return refuse('not_found', { detail: 'There is no such revision, or nothing was staged for this account.' });
}

function subjectOf(key: AccountKey): string {
  return `accounts/${key.import_supplier}/${key.external_account_number}`;
}

function unknownProcess(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}
