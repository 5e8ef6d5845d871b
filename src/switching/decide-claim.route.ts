import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit } from '../access/index.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { claimDecisionSchema, type ClaimDecisionSent, type SwitchView } from './market-message.schema.ts';
import { leaveByHand, switchWorkItem } from './market-message.store.ts';
import { releasePoints } from './supply-point-claim.store.ts';
import { findAccountNumber, lockAccountByNumber, readPoints, type SwitchedAccount } from './switch-account.store.ts';
import { viewSwitch } from './switch-view.store.ts';
import { decideClaimOpenApi } from './switching.openapi.ts';
import { applyEvents } from './take-step.store.ts';
import { wakeSwitches } from './wake-switches.client.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checkBody = compileOperatorBody<ClaimDecisionSent>(claimDecisionSchema);

interface ClaimDeps {
  database: Database;
  gateway: TemporalGateway;
  leadDays: number;
}

/**
 * `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`: decides about points of an account that stand
 * on another account too, for a reason: their switch goes on, or they are left to the other account.
 */
export const decideClaim = (deps: ClaimDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/supply-point-claim',
  access: 'operator',
  action: 'change',
  contract: decideClaimOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ params, body, caller, log }) => {
    const sent = checkBody(body ?? {});
    if (isRefused(sent)) return sent;
    const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
    const number = isRefused(key)
      ? undefined
      : await findAccountNumber(deps.database, key.import_supplier, key.external_account_number);
    if (number === undefined || isRefused(key)) return refuse('account_not_found');
    const work = switchWorkItem(number, key.import_supplier, key.external_account_number);
    const done = await deps.database.transaction(async (em): Promise<SwitchView | Refused> => {
      // First the owed row, then the account: the order in which a run takes them.
      await signalWork(em, [work]);
      const account = (await lockAccountByNumber(em, number)) as SwitchedAccount;
      const decided = await decide(em, account, sent, deps.leadDays);
      if (decided.length === 0) {
        await em.rollback();
        return refuse('not_found', {
          detail:
            'No such supply point of this account waits for a decision. What waits is listed by GET /v1/operations/stuck/.',
        });
      }
      const subject = `account-import-processes/${key.import_supplier}/${key.external_account_number}/supply-point-claim`;
      await recordAudit(em, caller, {
        action: 'supply_point_claim.decided',
        subject,
        before: { held: decided },
        after: { held: [], decision: sent.decision },
        reason: sent.reason,
      });
      return viewSwitch(em, (await lockAccountByNumber(em, number)) as SwitchedAccount);
    });
    if (isRefused(done)) return done;
    await wakeSwitches({ gateway: deps.gateway, log }, [work]);
    return { status: 200, body: done };
  },
});

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
