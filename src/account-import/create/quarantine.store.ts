import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { databaseFault } from '../../platform/database/faults.ts';
import { writeEventsSql } from '../../events/index.ts';
import { type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import { enqueueWork, workItemIdSql } from '../../platform/work-items/work-item.store.ts';
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
 * Correcting the data may take days, so the slot of the concurrency limit is released.
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
  // Another request may have created the account meanwhile; the workflow then finds it.
  if (marked.length > 0) await enqueueWork(em, [{ workflowId, kind: 'create-account', input: entry }]);
  await freeSlotsOf(em, [entry]);
}

export interface QuarantinedAccount {
  importSupplier: string;
  externalAccountNumber: string;
  workflowId: string;
  /** When the database last rejected it in a batch. */
  since: Date | null;
  /** If false, nothing retries the account until its creation is requested again. */
  hasWork: boolean;
}

const PAGE: PreparedQuery = {
  name: 'quarantined-accounts-page',
  text: `
    select p.import_supplier as "importSupplier", p.external_account_number as "externalAccountNumber", p.workflow_id as "workflowId",
      (p.refusal ->> 'at')::timestamptz as since, (${workItemIdSql('p.workflow_id')}) is not null as "hasWork"
    from import_process p where p.workflow_id is not null and (p.import_supplier, p.external_account_number) > ($1, $2)
    order by p.import_supplier, p.external_account_number limit $3`,
};

/** Returns a page of quarantined accounts after the cursor `after` (`<supplier>/<number>`, empty for the first page). */
export async function findQuarantined(on: Queryable, after: string, limit: number): Promise<QuarantinedAccount[]> {
  const slash = after.indexOf('/');
  const position = [after.slice(0, Math.max(slash, 0)), after.slice(slash + 1)];
  return run<QuarantinedAccount & Record<string, unknown>>(on, PAGE, [...position, limit]);
}
