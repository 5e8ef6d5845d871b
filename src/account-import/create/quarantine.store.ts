import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { databaseFault } from '../../platform/database/faults.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import type { CreationEntry } from './create-account.rules.ts';
import { freeSlotsOf } from '../limit/creation-slot.store.ts';

const MARK: PreparedQuery = {
  name: 'quarantine-mark',
  text: `
    update import_process
    set workflow_id = $3, refusal = jsonb_build_object('code', 'creation_failed', 'fault', $4::jsonb, 'at', now())
    where import_supplier = $1 and external_account_number = $2 and imported_at is null
    returning 1`,
};

/**
 * Notes that an account goes on alone: the reason on its import process, and the work item, so that it is
 * started again even when Temporal loses it. It may wait for days until its data is mended, so it keeps no slot of the
 * concurrency limit.
 * @param error of the database, or that it takes too long; nothing of it but its place is stored
 */
export async function quarantine(em: EntityManager, log: Log, entry: CreationEntry, error: unknown): Promise<void> {
  const fault = databaseFault(error);
  log.error(
    { creationId: entry.creationId, ...fault, fault: loggedFault(error) },
    'account cannot be created in a batch and goes on alone',
  );
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
