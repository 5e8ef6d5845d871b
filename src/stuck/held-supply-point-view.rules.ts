import { workflowIds } from '../../temporal.config.ts';
import type { HeldPoints } from '../switching/index.ts';
import { DECIDE_CLAIM } from './stuck-advice.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** Ids of accounts with held points in the list of what is pending; no workflow id begins so. */
const PREFIX = 'supply-point-claim/';
const CAUSE = 'supply_point_on_another_account';

/** What stands for held points where the others have the id of a run. */
export const claimIds = {
  of: (accountNumber: string): string => PREFIX + accountNumber,
  accountNumberIn: (id: string): string | undefined => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined),
};

/** Points of an account that stand on another account too, as something that an operator has to decide. */
export function viewOfHeld(held: HeldPoints, idOf: (id: string) => string): StuckView {
  const which =
    held.count === 1
      ? `Supply point ${held.identifier} stands`
      : `${held.count} supply points, ${held.identifier} one of them, stand`;
  return {
    id: idOf(claimIds.of(held.accountNumber)),
    kind: 'switch-supplier',
    cause: CAUSE,
    workflow_id: workflowIds.switchSupplier(held.accountNumber),
    accounts: [{ import_supplier: held.importSupplier, external_account_number: held.externalAccountNumber }],
    network_operator: null,
    batch_id: null,
    job_id: null,
    reconciliation_id: null,
    endpoint_id: null,
    message_id: null,
    waiting_since: held.since.toISOString(),
    attempt: 0,
    last_failure: { type: CAUSE, message: `${which} on another account too, so the switch is not asked for.` },
    next_attempt_at: null,
    paused: false,
    what_to_do: DECIDE_CLAIM,
  };
}
