import { workflowIds } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import {
  unfinishedState,
  type UnfinishedRow,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { switchWorkItem } from './switch-step.store.ts';

// Uses the order of the index account_switch_status. An account is also IN_PROGRESS while one point is completed and another is not due
// yet.
const UNFINISHED: PreparedQuery = {
  name: 'switches-unfinished',
  text: `
    select a.import_supplier || '/' || a.external_account_number as key, a.import_supplier as "importSupplier",
      a.external_account_number as "externalAccountNumber", a.number, null::timestamptz as since,
      (${workItemIdSql(`'${workflowIds.switchSupplier('')}' || a.number`)}) is not null
        or (select true from account_supply_point s where s.account_id = a.id and s.switch_status = 'IN_PROGRESS' limit 1) is null as "hasWork"
    from account a
    where a.switch_status collate "C" = 'IN_PROGRESS' and (a.import_supplier, a.external_account_number) > ($1, $2)
    order by a.import_supplier, a.external_account_number limit $3`,
};

/** Lists accounts whose switch is in progress, after the cursor `after` (`<supplier>/<number>`, empty for the beginning). */
export async function findUnfinishedSwitches(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const slash = after.indexOf('/');
  type Row = UnfinishedRow & { importSupplier: string; externalAccountNumber: string; number: string };
  const rows = await run<Row>(on, UNFINISHED, [after.slice(0, Math.max(slash, 0)), after.slice(slash + 1), limit]);
  return rows.map(
    unfinishedState<Row>((row) => switchWorkItem(row.number, row.importSupplier, row.externalAccountNumber)),
  );
}
