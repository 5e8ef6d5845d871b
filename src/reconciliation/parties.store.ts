import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SubjectDifference } from './difference.store.ts';
import { pointPathSql } from './instructions-in-force.store.ts';
import type { Parties } from './tally.rules.ts';

/** Supply points by our records and the messages of the network operator. A request that its response completes has no message. */
const POINTS: PreparedQuery = {
  name: 'reconcile-points',
  text: `
    with point as (
      select a.external_account_number, s.account_id, s.position, s.address_position, s.switch_round, asked.count as asked, asked.unanswered,
        reported.accepted, reported.moved and asked.count = 0 as is_strange
      from unnest($1::uuid[]) as w (id) join account a on a.id = w.id join account_supply_point s on s.account_id = a.id
        join supply_point m on m.id = s.supply_point_id
        cross join lateral (
          select count(*)::integer as count, (count(*) filter (where r.answered_at is null))::integer as unanswered
          from switch_request r where r.account_id = s.account_id and r.point_position = s.position) asked
        cross join lateral (
          select (count(*) filter (where k.outcome = 'ACCEPTED'))::integer as accepted, coalesce(bool_or(k.effect = 'moved'), false) as moved
          from market_message k
          where k.import_supplier = a.import_supplier and k.external_account_number = a.external_account_number and k.source = 'message'
            and k.effect <> 'dismissed' and (k.supply_point_identifier is null or k.supply_point_identifier = m.identifier)) reported),
    too_often as (
      select s.external_account_number as key, ${pointPathSql('s')} as path, t."table"
      from point s cross join lateral (
        values ('switch_request', s.asked > s.switch_round), ('market_message', s.accepted > s.switch_round)) t ("table", is_so)
      where t.is_so order by 1, 2, 3)
    select count(*)::integer as supply_points, coalesce(sum(asked), 0)::integer as switches_asked,
      count(*) filter (where asked > switch_round)::integer as switches_asked_too_often,
      coalesce(sum(unanswered), 0)::integer as switches_unanswered,
      count(*) filter (where accepted > switch_round)::integer as switches_accepted_too_often,
      count(*) filter (where is_strange)::integer as switches_told_without_request,
      (select coalesce(json_agg(too_often), '[]') from too_often) as "tooOften"
    from point`,
};

type PointCounts = Omit<Parties, `payment_${string}`>;

/**
 * Adds the supply points of accounts, and what outside parties reported about them, to a tally.
 * @returns points whose switch was requested, or accepted, more often than it was started
 */
export async function addPointsOf(
  em: EntityManager,
  accountIds: readonly string[],
  parties: Parties,
): Promise<SubjectDifference[]> {
  type Row = PointCounts & { tooOften: Pick<SubjectDifference, 'key' | 'path' | 'table'>[] };
  const [row] = await run<Row>(em, POINTS, [accountIds]);
  const { tooOften, ...counts } = row!;
  for (const name of Object.keys(counts) as (keyof PointCounts)[]) parties[name] += counts[name];
  return tooOften.map((point) => ({ ...point, subject: 'account', kind: 'extra', column: null, reason: null }));
}
