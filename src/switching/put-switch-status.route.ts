import { recordAudit } from '../access/index.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { switchStatusSchema, type SwitchStatusSent, type SwitchView } from './market-message.schema.ts';
import { switchWorkItem, sayByHand } from './market-message.store.ts';
import { findAccountNumber, lockAccountByNumber, type SwitchedAccount } from './switch-account.store.ts';
import { viewSwitch } from './switch-view.store.ts';
import { putSwitchStatusOpenApi } from './switching.openapi.ts';
import { applyEvents } from './take-step.store.ts';
import { wakeSwitches } from './wake-switches.client.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checkBody = compileOperatorBody<SwitchStatusSent>(switchStatusSchema);

interface SwitchStatusDeps {
  database: Database;
  gateway: TemporalGateway;
  leadDays: number;
}

/**
 * `PUT account-import-processes/<supplier>/<external>/switch-status/`: sets the switch of an account, or of one of its
 * points, by hand and for a reason. It takes effect at once, without Temporal; PENDING asks the operator again.
 */
export const putSwitchStatus = (deps: SwitchStatusDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/switch-status',
  access: 'operator',
  action: 'change',
  contract: putSwitchStatusOpenApi,
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
      const before = await viewSwitch(em, account);
      const point = sent.supply_point_identifier;
      if (point && !before.supply_points.some(({ identifier }) => identifier === point)) {
        await em.rollback();
        return refuse('validation_failed', {
          violations: [
            violation(
              'supply_point_not_found',
              ['supply_point_identifier'],
              'The account has no supply point with this identifier.',
            ),
          ],
        });
      }
      await sayByHand(em, account, sent);
      await applyEvents(em, account, deps.leadDays);
      const after = await viewSwitch(em, (await lockAccountByNumber(em, number)) as SwitchedAccount);
      const subject = `account-import-processes/${key.import_supplier}/${key.external_account_number}/switch-status`;
      await recordAudit(em, caller, {
        action: 'switch_status.set',
        subject,
        before: statusesOf(before),
        after: statusesOf(after),
        reason: sent.reason,
      });
      return after;
    });
    if (isRefused(done)) return done;
    await wakeSwitches({ gateway: deps.gateway, log }, [work]);
    return { status: 200, body: done };
  },
});

function statusesOf({ status, supply_points: points }: SwitchView): object {
  return { status, supply_points: points.map(({ identifier, status: ofPoint }) => ({ identifier, status: ofPoint })) };
}
