import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import {
  unfinishedState,
  type UnfinishedRow,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { VerificationInput } from './payment-instruction.rules.ts';

const UNFINISHED: PreparedQuery = {
  name: 'payment-verifications-unfinished',
  text: `
    select v.workflow_id as key, v.requested_at as since, v.id as "verificationId", v.vendor, a.import_supplier as "importSupplier",
      a.external_account_number as "externalAccountNumber", (${workItemIdSql('v.workflow_id')}) is not null as "hasWork"
    from payment_verification v join account a on a.id = v.account_id
    where v.outcome is null and v.workflow_id > $1 order by v.workflow_id limit $2`,
};

/**
 * Lists verifications without an outcome, after the workflow id `after`.
 * @param budgetMs time limit for the vendor in restored work items
 */
export async function findUnfinishedVerifications(
  on: Queryable,
  after: string,
  limit: number,
  budgetMs: number,
): Promise<UnfinishedState[]> {
  type Row = UnfinishedRow & Omit<VerificationInput, 'budgetMs'>;
  const rows = await run<Row>(on, UNFINISHED, [after, limit]);
  return rows.map(
    unfinishedState<Row>(({ key, verificationId, importSupplier, externalAccountNumber, vendor }) => {
      const input: VerificationInput = { verificationId, importSupplier, externalAccountNumber, vendor, budgetMs };
      return { workflowId: key, kind: 'verify-payment-instruction', input };
    }),
  );
}
