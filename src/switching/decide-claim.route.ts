import type { EntityManager } from '@mikro-orm/postgresql';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { changeSwitch, type ChangeSwitchDeps } from './change-switch.client.ts';
import { claimDecisionSchema, type ClaimDecisionSent } from './market-message.schema.ts';
import { leaveByHand } from './market-message.store.ts';
import { releasePoints } from './supply-point-claim.store.ts';
import { readPoints, type SwitchedAccount } from './switch-account.store.ts';
import { decideClaimOpenApi } from './switching.openapi.ts';
import { applyEvents } from './take-step.store.ts';

const checkBody = compileOperatorBody<ClaimDecisionSent>(claimDecisionSchema);

/**
 * `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`: decides about points of an account that stand
 * on another account too, for a reason: their switch goes on, or they are left to the other account.
 */
export const decideClaim = (deps: ChangeSwitchDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/supply-point-claim',
  access: 'operator',
  action: 'account.change',
  openApi: decideClaimOpenApi,
  bodyLimitBytes: 16_384,
  handle: async (request) => {
    const sent = checkBody(request.body ?? {});
    if (isRefused(sent)) return sent;
    return changeSwitch(deps, request, {
      action: 'supply_point_claim.decided',
      subject: 'supply-point-claim',
      reason: sent.reason,
      apply: async (em, account) => {
        const decided = await decide(em, account, sent, deps.leadDays);
        if (decided.length === 0) return refuse('not_found', { detail: NOTHING_HELD });
        return () => ({ before: { held: decided }, after: { held: [], decision: sent.decision } });
      },
    });
  },
});

const NOTHING_HELD =
  'No such supply point of this account waits for a decision. What waits is listed by GET /v1/operations/stuck/.';

/** @returns the identifiers of the points that were held and are decided now */
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
