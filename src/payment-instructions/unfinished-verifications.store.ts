import { sql } from 'kysely';
import type { AccountTable } from '../accounts/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import { unfinishedState, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { PaymentVerificationTable } from './payment-instruction.entity.ts';
import type { VerificationInput } from './payment-instruction.rules.ts';

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
  const rows = await kyselyOf<PaymentVerificationTable & AccountTable>(on)
    .selectFrom('payment_verification as v')
    .innerJoin('account as a', 'a.id', 'v.account_id')
    .select([
      'v.workflow_id as key',
      'v.requested_at as since',
      'v.id as verificationId',
      'v.vendor',
      'a.import_supplier as importSupplier',
      'a.external_account_number as externalAccountNumber',
      sql<boolean>`(${sql.raw(workItemIdSql('v.workflow_id'))}) is not null`.as('hasWork'),
    ])
    .where('v.outcome', 'is', null)
    .where('v.workflow_id', '>', after)
    .orderBy('v.workflow_id')
    .limit(limit)
    .execute();
  return rows.map(
    unfinishedState(({ key, verificationId, importSupplier, externalAccountNumber, vendor }) => {
      const input: VerificationInput = { verificationId, importSupplier, externalAccountNumber, vendor, budgetMs };
      return { workflowId: key, kind: 'verify-payment-instruction', input };
    }),
  );
}
