import { accountHash } from '../../temporal.config.ts';
import type { AccountKey } from '../accounts/account-key.schema.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';

const DEADLINE_MS = 1_000;
const LISTED_MAX = 10;

/** Ids of open runs that wait for the database with this account. Empty while Temporal does not answer: the rest of the view needs no Temporal. */
export async function findWaitingBatches(gateway: TemporalGateway, key: AccountKey): Promise<string[]> {
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
