import { accountHash } from '../../temporal.config.ts';
import { type Actor, type ContactDataRead, recordAudit, withoutContactData } from '../access/index.ts';
import { type AccountKey, accountKeySchema } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { findAccountWarnings } from './find-account-warnings.store.ts';
import { findAccount, findRevision } from './find-account.store.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/**
 * Returns all stored data of an import process and its account to an operator. It is personal data, so each read is audited.
 * Contact data is masked unless the operator may see it or the account was searched by it.
 * @returns JSON text, which keeps digits that a JavaScript number would lose; a rejection if the process does not exist
 */
export async function readAccount(
  { database, gateway }: { database: Database; gateway: TemporalGateway },
  actor: Actor,
  { supplier, external }: { supplier: string | undefined; external: string | undefined },
  read: ContactDataRead,
): Promise<string | Refused> {
  const key = checkKey({ import_supplier: supplier, external_account_number: external });
  if (isRefused(key)) return unknownProcess();
  const waitingIn = await findWaitingBatches(gateway, key);
  const json = await database.transaction(async (em) => {
    const found = await findAccount(em, key, waitingIn);
    if (found !== undefined) await recordAudit(em, actor, auditOf(key, read));
    return found;
  });
  if (json === undefined) return unknownProcess();
  const warnings = await findAccountWarnings(database, key, 'operator');
  return `${shownTo(read, json).slice(0, -1)}, "warnings": ${JSON.stringify(warnings)}}`;
}

/**
 * Returns one revision of staged data with its changes; audited and masked like a read of the account.
 * @param params `supplier`, `external` and `revision` of a path
 * @returns JSON text; a rejection if the revision does not exist
 */
export async function readRevision(
  database: Database,
  actor: Actor,
  { supplier, external, revision = '' }: Readonly<Record<string, string>>,
  read: ContactDataRead,
): Promise<string | Refused> {
  const key = checkKey({ import_supplier: supplier, external_account_number: external });
  if (isRefused(key) || !/^\d{1,9}$/.test(revision)) return unknownRevision();
  const found = await findRevision(database, key, Number(revision));
  if (found === undefined) return unknownRevision();
  await recordAudit(database, actor, auditOf(key, read));
  const changes = found.changes?.map(({ path, before, after }) => {
    const side = (value: string | null) => shownTo(read, value ?? 'null', path);
    return `{"path":${JSON.stringify(path)},"before":${side(before)},"after":${side(after)}}`;
  });
  return `${shownTo(read, found.json).slice(0, -1)},"changes":${changes === undefined ? 'null' : `[${changes.join(',')}]`}}`;
}

function shownTo({ isOpen, isRevealed }: ContactDataRead, json: string, path?: readonly string[]): string {
  return isOpen || isRevealed ? json : withoutContactData(json, path);
}

function unknownRevision(): Refused {
  return refuse('not_found', { detail: 'There is no such revision, or nothing was staged for this account.' });
}

function auditOf(key: AccountKey, { isRevealed }: ContactDataRead) {
  return {
    action: isRevealed ? 'account.contact_data_revealed' : 'account.read',
    subject: `accounts/${key.import_supplier}/${key.external_account_number}`,
  };
}

function unknownProcess(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}

const DEADLINE_MS = 1_000;
const LISTED_MAX = 10;

/** Ids of open runs that wait for the database with this account. Empty while Temporal does not answer: the rest of the view needs no Temporal. */
async function findWaitingBatches(gateway: TemporalGateway, key: AccountKey): Promise<string[]> {
  const hash = accountHash(key.import_supplier, key.external_account_number);
  try {
    const client = gateway.client();
    const { executions } = await client.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        pageSize: LISTED_MAX,
        query: `ImportAccounts = '${hash}' AND ExecutionStatus = 'Running'`,
      }),
    );
    return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
  } catch {
    return [];
  }
}
