import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../../temporal.config.ts';
import { databaseFault, isTransientError } from '../../platform/database/faults.ts';
import { writeEvents } from '../../events/index.ts';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import type { WorkItemTable } from '../../platform/work-items/work-item.entity.ts';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import type { ImportProcessTable } from '../import-process.entity.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import { freeSlotsOf } from '../limit/creation-slot.store.ts';
import { createFromStaged, type CreationContext } from './create-account.store.ts';

/**
 * Quarantines an account: stores the reason on its import process, and a work item that starts its run even if Temporal loses it.
 * Correcting the data may take days, so the slot of the concurrency limit is released.
 * @param error of the database, or a timeout; only its kind and position are stored
 */
export async function quarantine(em: EntityManager, log: Log, entry: CreationEntry, error: unknown): Promise<void> {
  const fault = databaseFault(error);
  log.error({ creationId: entry.creationId, ...fault, fault: loggedFault(error) }, 'account quarantined');
  const { importSupplier, externalAccountNumber } = entry;
  const workflowId = workflowIds.createAccount(importSupplier, externalAccountNumber);
  const refusal = sql<
    Record<string, unknown>
  >`jsonb_build_object('code', 'creation_failed', 'fault', ${JSON.stringify(fault)}::jsonb, 'at', now())`;
  const marked = await kyselyOf<ImportProcessTable>(em)
    .updateTable('import_process')
    .set({ workflow_id: workflowId, refusal })
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', externalAccountNumber)
    .where('imported_at', 'is', null)
    .returning(sql<boolean>`old.workflow_id is not null`.as('wasQuarantined'))
    .executeTakeFirst();
  if (marked?.wasQuarantined === false) {
    const subject = `accounts/${externalAccountNumber}`;
    const data = { external_account_number: externalAccountNumber };
    await writeEvents(em, [{ importSupplier, type: 'import.account.quarantined.v1', subject, data }]);
  }
  // Another request may have created the account meanwhile; the workflow then finds it.
  if (marked) await enqueueWork(em, [{ workflowId, kind: 'create-account', input: entry }]);
  await freeSlotsOf(em, [entry]);
}

interface QuarantinedAccount {
  importSupplier: string;
  externalAccountNumber: string;
  workflowId: string;
  /** When the database last rejected it in a batch. */
  since: Date | null;
  /** If false, nothing retries the account until its creation is requested again. */
  hasWork: boolean;
}

/** Returns a page of quarantined accounts after the cursor `after` (`<supplier>/<number>`, empty for the first page). */
export async function findQuarantined(on: Queryable, after: string, limit: number): Promise<QuarantinedAccount[]> {
  const slash = after.indexOf('/');
  const [supplier, number] = [after.slice(0, Math.max(slash, 0)), after.slice(slash + 1)];
  return kyselyOf<ImportProcessTable & WorkItemTable>(on)
    .selectFrom('import_process as p')
    .leftJoin('work_item as w', 'w.workflow_id', 'p.workflow_id')
    .select([
      'p.import_supplier as importSupplier',
      'p.external_account_number as externalAccountNumber',
      'p.workflow_id as workflowId',
      sql<Date | null>`(p.refusal ->> 'at')::timestamptz`.as('since'),
      sql<boolean>`w.workflow_id is not null`.as('hasWork'),
    ])
    .where('p.workflow_id', 'is not', null)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('p.import_supplier', 'p.external_account_number'), '>', tuple(supplier, number)),
    )
    .orderBy('p.import_supplier')
    .orderBy('p.external_account_number')
    .limit(limit)
    .$narrowType<{ workflowId: string }>()
    .execute();
}

/**
 * Creates accounts when the database rejects some of them: bisects the batch, each half in a savepoint, until each rejected account is
 * alone.
 * @param onRejected handles a rejected account in the same transaction
 * @throws transient errors of the database, which no account causes
 */
export async function bisectCreation(
  em: EntityManager,
  entries: readonly CreationEntry[],
  context: CreationContext,
  onRejected: (em: EntityManager, entry: CreationEntry, error: unknown) => Promise<void>,
): Promise<CreationOutcome[]> {
  try {
    // Inside a transaction this is a savepoint.
    return await em.transactional((part) => createFromStaged(part, entries, context));
  } catch (error) {
    if (isTransientError(error)) throw error;
    const [entry] = entries;
    if (entries.length === 1 && entry !== undefined) {
      await onRejected(em, entry, error);
      return [{ kind: 'quarantined' }];
    }
    const middle = entries.length >> 1;
    return [
      ...(await bisectCreation(em, entries.slice(0, middle), context, onRejected)),
      ...(await bisectCreation(em, entries.slice(middle), context, onRejected)),
    ];
  }
}
