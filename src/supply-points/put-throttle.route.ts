import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isNetworkOperator } from '../vocabulary/network-operators.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import type { LookUpRuns } from './look-up-runs.client.ts';
import { putThrottleOpenApi } from './throttle.openapi.ts';
import { THROTTLE_PATH, unknownNetworkOperator } from './throttle.rules.ts';
import { putThrottleSchema, type PutThrottle } from './throttle.schema.ts';
import { changeThrottle, findThrottle, hasOpenLookUps } from './throttle.store.ts';

const checkBody = compileOperatorBody<PutThrottle>(putThrottleSchema);

/** `PUT network-operators/<operator>/throttle/`: how fast an operator is asked; live. */
export const putThrottle = (deps: { database: Database; runs: LookUpRuns }): Route => ({
  method: 'PUT',
  path: THROTTLE_PATH,
  access: 'operator',
  action: 'throttle.set',
  openApi: putThrottleOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ params, body, caller }) => {
    const { operator: networkOperator } = params;
    if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const view = await deps.database.transaction(async (em) => {
      const change = await changeThrottle(em, networkOperator, sent);
      await recordAudit(em, caller, {
        action: 'throttle.changed',
        subject: `network-operators/${networkOperator}/throttle`,
        ...change,
        reason: sent.reason,
      });
      return findThrottle(em, networkOperator);
    });
    // A run that rests because the network operator was paused, or slow, looks again now.
    if (await hasOpenLookUps(deps.database, networkOperator)) {
      void deps.runs.wake({ networkOperators: [networkOperator], batchIds: [] });
    }
    return { status: 200, body: view };
  },
});
