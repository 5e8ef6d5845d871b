import type { Reply } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { changeSwitch, type ChangeSwitchDeps, type SwitchOrder } from './change-switch.client.ts';
import { switchStatusSchema, type SwitchStatusSent, type SwitchView } from './market-message.schema.ts';
import { storeStatusByHand } from './market-message.store.ts';
import { viewSwitch } from './switch-view.store.ts';
import { applyEvents } from './take-step.store.ts';

const checkBody = compileOperatorBody<SwitchStatusSent>(switchStatusSchema);

/**
 * Sets the switch status of an account or of one of its points by hand with a reason, and records it in the audit. It takes effect
 * immediately, without Temporal. PENDING requests the switch again.
 * @param body validated by `switchStatusSchema`
 */
export async function setSwitchStatus(
  deps: ChangeSwitchDeps,
  order: SwitchOrder,
  body: unknown,
): Promise<Reply | Refused> {
  const sent = checkBody(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const point = sent.supply_point_identifier;
  return changeSwitch(deps, order, {
    action: 'switch_status.set',
    subject: 'switch-status',
    reason: sent.reason,
    apply: async (em, account) => {
      const before = await viewSwitch(em, account);
      if (point && !before.supply_points.some(({ identifier }) => identifier === point)) return pointNotFound();
      await storeStatusByHand(em, account, sent);
      await applyEvents(em, account, deps.leadDays);
      return (after) => ({ before: statusesOf(before), after: statusesOf(after) });
    },
  });
}

/** The refusal of a point that the account does not have. */
export function pointNotFound(): Refused {
  const sentence = 'The account has no supply point with this identifier.';
  return refuse('validation_failed', {
    violations: [violation('supply_point_not_found', ['supply_point_identifier'], sentence)],
  });
}

/** The state of a switch in the audit. */
export function statusesOf({ status, supply_points: points }: SwitchView): object {
  return { status, supply_points: points.map(({ identifier, status: ofPoint }) => ({ identifier, status: ofPoint })) };
}
