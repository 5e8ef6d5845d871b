import { sql } from 'kysely';
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import {
  isNetworkOperator,
  type NetworkOperatorName,
  supplyTypeOfNetworkOperator,
} from '../../vocabulary/network-operators.ts';
import { type Actor, recordAudit } from '../../access/index.ts';
import type { AccountSupplyPointTable, AccountTable } from '../../accounts/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import type { SupplyPointView } from './find-supply-points.openapi.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';

/** Maximum number of accounts shown; a point usually has one or two. */
const ACCOUNTS_MAX = 100;

/** Finds a supply point with its facts, lookups and accounts. Undefined if no batch and no account has it. */
async function findSupplyPoint(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<SupplyPointView | undefined> {
  const supplyType = supplyTypeOfNetworkOperator[networkOperator];
  const { lookups, point } = await kyselyOf<LookupTables & AccountSupplyPointTable & AccountTable>(database)
    .selectNoFrom(({ selectFrom }) => [
      jsonArrayFrom(
        selectFrom('look_up as l')
          .select(['l.customer_authorisation', 'l.errored_reason', 'l.tries', 'l.last_failure'])
          .select(['l.due_at as next_attempt_at', 'l.completed_at as ended_at'])
          .select(sql<string>`case l.state when 'deferred' then 'pending' else l.state end`.as('state'))
          .where('l.network_operator', '=', networkOperator)
          .where('l.identifier', '=', identifier)
          .orderBy('l.id'),
      ).as('lookups'),
      jsonObjectFrom(
        selectFrom('supply_point as p')
          .select(['p.facts', 'p.facts_source', 'p.facts_with_authorisation', 'p.populated_at'])
          .select((of) =>
            jsonArrayFrom(
              of
                .selectFrom('account_supply_point as s')
                .innerJoin('account as a', 'a.id', 's.account_id')
                .select(['a.import_supplier', 'a.external_account_number', 'a.number as service_account_number'])
                .whereRef('s.supply_point_id', '=', 'p.id')
                .orderBy('a.created_at')
                .orderBy('a.id')
                .limit(ACCOUNTS_MAX),
            ).as('accounts'),
          )
          .where('p.supply_type', '=', supplyType)
          .where('p.identifier', '=', identifier),
      ).as('point'),
    ])
    .executeTakeFirstOrThrow();
  if (point === null && lookups.length === 0) return undefined;
  const facts = point?.facts ?? null;
  return {
    network_operator: networkOperator,
    identifier,
    facts,
    source: point?.facts_source ?? null,
    looked_up_at: instant(point?.populated_at),
    with_customer_authorisation: facts && point!.facts_with_authorisation,
    look_ups: lookups.map((one) => ({
      ...one,
      next_attempt_at: instant(one.next_attempt_at),
      ended_at: instant(one.ended_at),
    })),
    accounts: point?.accounts ?? [],
  };
}

/** @param written as in JSON of the database */
function instant(written: string | Date | null | undefined): string | null {
  return written ? new Date(written).toISOString() : null;
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
