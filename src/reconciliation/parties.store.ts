import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { Parties } from './tally.rules.ts';

const PARTIES: PreparedQuery = {
  name: 'reconcile-parties',
  text: `
    with wanted as (select unnest($1::uuid[]) as id),
    instruction as (
      select v.outcome = 'verified' and v.vendor = i.vendor and v.type = i.type and v.reference = i.reference
        and v.account_id = i.account_id and v.point_position is not distinct from i.point_position as "isVerified"
      from wanted w join payment_instruction i on i.account_id = w.id left join payment_verification v on v.id = i.verification_id
      where i.verified_at is not null and i.replaced_at is null),
    point as (
      select s.switch_round, (select count(*) from switch_request r where r.account_id = s.account_id and r.point_position = s.position) as asked
      from wanted w join account_supply_point s on s.account_id = w.id)
    select i.*, p.* from
      (select count(*)::integer as payment_instructions_in_force,
        count(*) filter (where "isVerified" is not true)::integer as payment_instructions_unlike_verification from instruction) i,
      (select count(*)::integer as supply_points, coalesce(sum(asked), 0)::integer as switches_asked,
        count(*) filter (where asked > switch_round)::integer as switches_asked_too_often from point) p`,
};

/** Adds what outside parties have of accounts to a tally. */
export async function addPartiesOf(em: EntityManager, accountIds: readonly string[], parties: Parties): Promise<void> {
  const [found] = await run<Parties & Record<string, number>>(em, PARTIES, [accountIds]);
  for (const name of Object.keys(parties) as (keyof Parties)[]) parties[name] += found![name];
}
