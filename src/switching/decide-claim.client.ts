import type { EntityManager } from '@mikro-orm/postgresql';
import type { Reply } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { changeSwitch, type ChangeSwitchDeps, type SwitchOrder } from './change-switch.client.ts';
import { claimDecisionSchema, type ClaimDecisionSent } from './market-message.schema.ts';
import { leaveByHand } from './market-message.store.ts';
import { releasePoints } from './supply-point-claim.store.ts';
import { readPoints, type SwitchedAccount } from './switch-account.store.ts';
import { applyEvents } from './take-step.store.ts';

const checkBody = compileOperatorBody<ClaimDecisionSent>(claimDecisionSchema);

/**
 * Decides about held points of an account that another account also has, and records it in the audit: the switch is requested, or
 * the points are left to the other account.
 * @param body validated by `claimDecisionSchema`
 */
export async function decideClaim(deps: ChangeSwitchDeps, order: SwitchOrder, body: unknown): Promise<Reply | Refused> {
  const sent = checkBody(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  return changeSwitch(deps, order, {
    action: 'supply_point_claim.decided',
    subject: 'supply-point-claim',
    reason: sent.reason,
    apply: async (em, account) => {
      const decided = await decide(em, account, sent, deps.leadDays);
      if (decided.length === 0) return refuse('not_found', { detail: NOTHING_HELD });
      return () => ({ before: { held: decided }, after: { held: [], decision: sent.decision } });
    },
  });
}

const NOTHING_HELD = 'No supply point of this account waits for this decision. It may have been decided meanwhile.';

/** @returns the identifiers of the points that were held and are now decided */
async function decide(
  em: EntityManager,
  account: SwitchedAccount,
  sent: ClaimDecisionSent,
  leadDays: number,
): Promise<string[]> {
  const wanted = sent.supply_point_identifier || undefined;
  const held = (await readPoints(em, account.id, leadDays)).filter(
    ({ isHeld, status, identifier }) => isHeld && status === 'PENDING' && (wanted ?? identifier) === identifier,
  );
  if (sent.decision === 'GO_ON') {
    await releasePoints(
      em,
      account.id,
      held.map(({ position }) => position),
    );
  } else {
    for (const { identifier } of held) await leaveByHand(em, account, identifier, sent.reason);
    await applyEvents(em, account, leadDays);
  }
  return held.map(({ identifier }) => identifier);
}
