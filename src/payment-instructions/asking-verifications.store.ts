import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { asking, type AskingRow, type AskingState } from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { VerificationInput } from './payment-instruction.rules.ts';

const ASKING: PreparedQuery = {
  name: 'payment-verifications-asking',
  text: `
    select v.workflow_id as key, v.requested_at as since, v.id as "verificationId", v.vendor, a.import_supplier as "importSupplier",
      a.external_account_number as "externalAccountNumber", (${workItemIdSql('v.workflow_id')}) is not null as "hasWork"
    from payment_verification v join account a on a.id = v.account_id
    where v.outcome is null and v.workflow_id > $1 order by v.workflow_id limit $2`,
};

/**
 * A page of the verifications that have no outcome, after the workflow id `after`.
 * @param budgetMs longest that the vendor is asked where the work is written anew
 */
export async function findAskingVerifications(
  on: Queryable,
  after: string,
  limit: number,
  budgetMs: number,
): Promise<AskingState[]> {
  type Row = AskingRow & Omit<VerificationInput, 'budgetMs'>;
  const rows = await run<Row>(on, ASKING, [after, limit]);
  return rows.map(
    asking<Row>(({ key, verificationId, importSupplier, externalAccountNumber, vendor }) => {
      const input: VerificationInput = { verificationId, importSupplier, externalAccountNumber, vendor, budgetMs };
      return { workflowId: key, kind: 'verify-payment-instruction', input };
    }),
  );
}
