import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SubjectDifference } from './difference.store.ts';
import { instructionsOf, pointPathSql } from './instructions-in-force.store.ts';
import { emptyTally, type Parties } from './tally.rules.ts';

/** Supply points by our records and the messages of the network operator. A request that its response completes has no message. */
const POINTS = `
  select s.account_id, s.position, s.address_position, s.switch_round, asked.count as asked, asked.unanswered,
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
        and k.effect <> 'dismissed' and (k.supply_point_identifier is null or k.supply_point_identifier = m.identifier)) reported`;

const PARTIES: PreparedQuery = {
  name: 'reconcile-parties',
  text: `
    with instruction as (
      select v.outcome = 'verified' and v.vendor = i.vendor and v.type = i.type and v.reference = i.reference
        and v.account_id = i.account_id and v.point_position is not distinct from i.point_position as "isVerified"
      from unnest($1::uuid[]) as w (id) cross join lateral ${instructionsOf('w.id')} i left join payment_verification v on v.id = i.verification_id
      where i.verified_at is not null and i.replaced_at is null),
    point as (${POINTS})
    select i.*, p.* from
      (select count(*)::integer as payment_instructions_in_force,
        count(*) filter (where "isVerified" is not true)::integer as payment_instructions_unlike_verification from instruction) i,
      (select count(*)::integer as supply_points, coalesce(sum(asked), 0)::integer as switches_asked,
        count(*) filter (where asked > switch_round)::integer as switches_asked_too_often,
        coalesce(sum(unanswered), 0)::integer as switches_unanswered,
        count(*) filter (where accepted > switch_round)::integer as switches_accepted_too_often,
        count(*) filter (where is_strange)::integer as switches_told_without_request from point) p`,
};

const TOO_OFTEN: PreparedQuery = {
  name: 'reconcile-switches-too-often',
  text: `
    select a.external_account_number as key, ${pointPathSql('s')} as path, t."table"
    from (${POINTS}) s join account a on a.id = s.account_id
      cross join lateral (values ('switch_request', s.asked > s.switch_round), ('market_message', s.accepted > s.switch_round)) t ("table", is_so)
    where t.is_so order by 1, 2, 3`,
};

/**
 * Adds the records of outside parties about accounts to a tally.
 * @returns points whose switch was requested, or accepted, more often than it was started
 */
export async function addPartiesOf(
  em: EntityManager,
  accountIds: readonly string[],
  parties: Parties,
): Promise<SubjectDifference[]> {
  const [found] = await run<Parties & Record<string, number>>(em, PARTIES, [accountIds]);
  for (const name of Object.keys(emptyTally().parties) as (keyof Parties)[]) {
    parties[name] += found![name];
  }
  if (found!.switches_asked_too_often + found!.switches_accepted_too_often === 0) return [];
  const points = await run<{ key: string; path: string; table: string }>(em, TOO_OFTEN, [accountIds]);
  return points.map((point) => ({ ...point, subject: 'account', kind: 'extra', column: null, reason: null }));
}
