import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { workItemIdSql } from '../../platform/work-items/work-item.store.ts';

/** A quarantined account. */
export interface QuarantinedAccount {
  importSupplier: string;
  externalAccountNumber: string;
  workflowId: string;
  /** When the database last refused it in a batch. */
  since: Date | null;
  /** False: nothing tries it again before its creation is asked for once more. */
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

/** A page of the accounts that are quarantined, after the place `after` (`<supplier>/<number>`, empty for the beginning). */
export async function findQuarantined(on: Queryable, after: string, limit: number): Promise<QuarantinedAccount[]> {
  const slash = after.indexOf('/');
  const place = [after.slice(0, Math.max(slash, 0)), after.slice(slash + 1)];
  return run<QuarantinedAccount & Record<string, unknown>>(on, PAGE, [...place, limit]);
}
