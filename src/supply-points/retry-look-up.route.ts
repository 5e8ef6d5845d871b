import type { Route } from '../platform/http/route.ts';
import { isNetworkOperator } from '../vocabulary/network-operators.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { retryLookUpIn } from './retry-look-ups.store.ts';
import { retryLookUpOpenApi } from './steer-look-ups.openapi.ts';
import { changeAudited, type SteerDeps } from './steer-look-ups.store.ts';
import { unknownNetworkOperator } from './throttle.rules.ts';

/** `POST look-ups/<operator>/<identifier>/retry/`: asks again for one identifier, for every batch that wants it. */
export const retryLookUp = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/:identifier/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryLookUpOpenApi,
  handle: async ({ params, caller }) => {
    const { operator: networkOperator, identifier = '' } = params;
    if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
    const isPossible = /^[0-9A-Z]{1,64}$/.test(identifier);
    const again = isPossible
      ? await changeAudited(
          deps.database,
          caller,
          'look_up.retried',
          `look-ups/${networkOperator}/${identifier}`,
          (em) => retryLookUpIn(em, networkOperator, identifier),
        )
      : null;
    if (again === null) {
      return refuse('not_found', { detail: 'No batch has ever asked this operator for this identifier.' });
    }
    void deps.runs.wake(again);
    return { status: 200, body: { network_operator: networkOperator, identifier, retried: again.retried } };
  },
});
