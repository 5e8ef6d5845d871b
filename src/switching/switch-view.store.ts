import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../temporal.config.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { DISMISSED_EFFECT, type SwitchView } from './market-message.schema.ts';
import { readPointsOf, type SwitchedAccount } from './switch-account.store.ts';

/** SQL: a timestamp in the format of all responses, in any session time zone. */
const timestampSql = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const identifierAt = (position: string) =>
  `(select m.identifier from account_supply_point s join supply_point m on m.id = s.supply_point_id where s.account_id = a.id and s.position = ${position})`;

/**
 * SQL by member of the operators' view of the switch of an account `a`. The history is in the order of our changes; messages are in the
 * order of their events.
 */
export const switchViewSql = {
  switch_history: `(select coalesce(json_agg(json_build_object('at', ${timestampSql('c.changed_at')}, 'supply_point_identifier', ${identifierAt('c.point_position')},
      'from', c.status_before, 'to', c.status_after, 'by', w.source, 'message_id', c.message_id, 'reason', w.reason) order by c.position), '[]')
    from switch_change c join market_message w on w.message_id = c.message_id where c.account_id = a.id)`,
  switch_requests: `(select coalesce(json_agg(json_build_object('request_id', r.request_id, 'supply_point_identifier', ${identifierAt('r.point_position')}, 'round', r.round,
      'requested_at', ${timestampSql('r.requested_at')}, 'answered_at', ${timestampSql('r.answered_at')}, 'answer', r.answer) order by r.requested_at, r.point_position), '[]')
    from switch_request r where r.account_id = a.id)`,
  market_messages: `(select coalesce(json_agg(json_build_object('message_id', w.message_id, 'source', w.source, 'supply_point_identifier', w.supply_point_identifier,
      'outcome', w.outcome, 'status', w.status, 'occurred_at', ${timestampSql('w.occurred_at')}, 'received_at', ${timestampSql('w.received_at')}, 'reason', w.reason,
      'effect', case w.effect when 'dismissed' then '${DISMISSED_EFFECT}' else w.effect end, 'effect_detail', w.effect_detail) order by w.occurred_at, w.received_at), '[]')
    from market_message w where w.import_supplier = a.import_supplier and w.external_account_number = a.external_account_number)`,
};

/** SQL: workflow ids of the pending switches of an import process `p`, one row each. A switch is pending from creation until it is completed. */
export const switchWorkItemIdsSql = `
  select w.workflow_id from account a, lateral (${workItemIdSql(`'${workflowIds.switchSupplier('')}' || a.number`)}) w where a.import_process_id = p.id`;

/** The switch of an account after its events have been applied. */
export async function viewSwitch(em: EntityManager, account: SwitchedAccount): Promise<SwitchView> {
  const points = await readPointsOf(em, account.id, 0);
  return {
    import_supplier: account.importSupplier,
    external_account_number: account.externalAccountNumber,
    service_account_number: account.number,
    status: account.status,
    supply_points: points.map(({ identifier, supplyType, status, isHeld }) => ({
      identifier,
      supply_type: supplyType,
      status,
      held: isHeld && status === 'PENDING',
    })),
  };
}
