import { recordAudit, type Actor } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { findSupplyPoint, type SupplyPointView } from './find-supply-point.store.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';

/** Reads what is known of one point. It leads to accounts, so each read leaves a line in the audit. */
export async function readSupplyPoint(
  database: Database,
  caller: Actor,
  { operator: networkOperator, identifier = '' }: Readonly<Record<string, string>>,
): Promise<SupplyPointView | Refused> {
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  const isPossible = /^[0-9A-Z]{1,64}$/.test(identifier);
  const found = isPossible ? await findSupplyPoint(database, networkOperator, identifier) : undefined;
  if (found === undefined) {
    return refuse('not_found', { detail: 'No batch and no account has named this supply point.' });
  }
  await recordAudit(database, caller, {
    action: 'supply_point.read',
    subject: `supply-points/${networkOperator}/${identifier}`,
  });
  return found;
}
