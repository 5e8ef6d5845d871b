import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { databaseFault } from '../../platform/database/faults.ts';
import { writeEventsSql } from '../../events/index.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import type { CreationEntry } from './create-account.rules.ts';
import { freeSlotsOf } from '../limit/creation-slot.store.ts';

const MARK: PreparedQuery = {
  name: 'quarantine-mark',
  text: `
    with marked as (
      update import_process
      set workflow_id = $3, refusal = jsonb_build_object('code', 'creation_failed', 'fault', $4::jsonb, 'at', now())
      where import_supplier = $1 and external_account_number = $2 and imported_at is null
      returning import_supplier, external_account_number, old.workflow_id is not null as was_quarantined),
    notified as (${writeEventsSql(`
      select import_supplier, null, 'import.account.quarantined.v1', 'accounts/' || external_account_number,
        jsonb_build_object('external_account_number', external_account_number) from marked where not was_quarantined`)})
    select from marked`,
};

/**
 * Quarantines an account: stores the reason on its import process, and a work item that starts its run even if Temporal loses it.
 * Correcting the data may take days, so the account releases its slot of the concurrency limit.
 * @param error of the database, or a timeout; only its kind and position are stored
 */
export async function quarantine(em: EntityManager, log: Log, entry: CreationEntry, error: unknown): Promise<void> {
  const fault = databaseFault(error);
  log.error({ creationId: entry.creationId, ...fault, fault: loggedFault(error) }, 'account quarantined');
  const workflowId = workflowIds.createAccount(entry.importSupplier, entry.externalAccountNumber);
  const marked = await run(em, MARK, [
    entry.importSupplier,
    entry.externalAccountNumber,
    workflowId,
    JSON.stringify(fault),
  ]);
  // Another request may have created it meanwhile; the workflow then finds that account.
  if (marked.length > 0) await enqueueWork(em, [{ workflowId, kind: 'create-account', input: entry }]);
  await freeSlotsOf(em, [entry]);
}
