import { networkOperators } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** Path of the throttle of one network operator. */
export const THROTTLE_PATH = '/v1/operations/network-operators/:operator/throttle';

/** Refusal of a network operator that is none. */
export function unknownNetworkOperator(): Refused {
  return refuse('not_found', { detail: `The network operators are ${networkOperators.join(' and ')}.` });
}
