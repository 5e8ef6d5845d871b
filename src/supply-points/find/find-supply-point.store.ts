import { type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import {
  isNetworkOperator,
  type NetworkOperatorName,
  supplyTypeOfNetworkOperator,
} from '../../vocabulary/network-operators.ts';
import { type Actor, recordAudit } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';

/** Maximum number of accounts shown; a point usually has one or two. */
const ACCOUNTS_MAX = 100;

const FIND: PreparedQuery = {
  name: 'supply-point-find',
  text: `
    select p.facts, p.facts_source, p.facts_with_authorisation, p.populated_at, l.look_ups,
      coalesce((select jsonb_agg(jsonb_build_object('import_supplier', a.import_supplier, 'external_account_number', a.external_account_number, 'service_account_number', a.number) order by a.created_at, a.id)
        from (select a.* from account_supply_point s join account a on a.id = s.account_id where s.supply_point_id = p.id limit ${ACCOUNTS_MAX}) a), '[]') as accounts
    from (select coalesce(jsonb_agg(jsonb_build_object(
        'customer_authorisation', l.customer_authorisation, 'state', case l.state when 'deferred' then 'pending' else l.state end, 'errored_reason', l.errored_reason,
        'tries', l.tries, 'last_failure', l.last_failure, 'next_attempt_at', l.due_at, 'ended_at', l.completed_at) order by l.id), '[]') as look_ups
      from look_up l where l.network_operator = $1 and l.identifier = $3) l
    left join supply_point p on p.supply_type = $2 and p.identifier = $3`,
};

interface Row extends Record<string, unknown> {
  facts: Readonly<Record<string, string | number>> | null;
  facts_source: string | null;
  facts_with_authorisation: boolean | null;
  populated_at: Date | null;
  look_ups: LookupView[];
  accounts: SupplyPointView['accounts'];
}

interface LookupView {
  customer_authorisation: boolean;
  state: string;
  errored_reason: string | null;
  tries: number;
  last_failure: string | null;
  next_attempt_at: string | null;
  ended_at: string | null;
}

/** A supply point as operators see it. */
export interface SupplyPointView {
  network_operator: NetworkOperatorName;
  identifier: string;
  facts: Readonly<Record<string, string | number>> | null;
  source: string | null;
  looked_up_at: string | null;
  with_customer_authorisation: boolean | null;
  look_ups: LookupView[];
  accounts: { import_supplier: string; external_account_number: string; service_account_number: string }[];
}

/** Finds a supply point with its facts, lookups and accounts. Undefined if no batch and no account has it. */
async function findSupplyPoint(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<SupplyPointView | undefined> {
  const [row] = await run<Row>(database, FIND, [
    networkOperator,
    supplyTypeOfNetworkOperator[networkOperator],
    identifier,
  ]);
  if (row === undefined || (row.facts_with_authorisation === null && row.look_ups.length === 0)) return undefined;
  const instant = (written: string | null) => (written === null ? null : new Date(written).toISOString());
  return {
    network_operator: networkOperator,
    identifier,
    facts: row.facts,
    source: row.facts_source,
    looked_up_at: row.populated_at?.toISOString() ?? null,
    with_customer_authorisation: row.facts === null ? null : row.facts_with_authorisation,
    look_ups: row.look_ups.map((one) => ({
      ...one,
      next_attempt_at: instant(one.next_attempt_at),
      ended_at: instant(one.ended_at),
    })),
    accounts: row.accounts,
  };
}

/** Reads a supply point for an operator. The result names accounts, so each read is audited. */
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
