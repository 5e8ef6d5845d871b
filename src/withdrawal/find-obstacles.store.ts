import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { type WithdrawalObstacle, obstacleSentences, withdrawalObstacles } from '../vocabulary/withdrawals.ts';
import { keysetPages } from '../foundation/keyset-pages.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { countUnusedWithout, findBusinessesOf } from './withdraw-businesses.store.ts';
import type { WithdrawalPreview } from './withdrawal.schema.ts';
import { EXAMPLES_MAX, findCandidates, FIRST, type WithdrawnScope } from './withdrawal.store.ts';

/** An account to withdraw, with the reasons why it cannot be withdrawn. */
export interface CheckedAccount {
  id: string;
  number: string;
  externalAccountNumber: string;
  obstacles: WithdrawalObstacle[];
}

/** SQL of the number of items of a list in the staged payload; the creation wrote them to the first positions. Null without a payload. */
const createdItems = (list: string) =>
  `case when p.payload is not null then coalesce(jsonb_array_length(nullif(p.payload -> '${list}', 'null')), 0) end`;

/** SQL: a row that no job of the withdrawal added. */
const IS_OTHERS = '(t.import_job_id is null or t.import_job_id <> all ($2::uuid[]))';

/** Scalar subqueries, because for `exists` the planner may hash a whole table. */
const CONDITIONS: Record<WithdrawalObstacle, string> = {
  switch_requested: `
    coalesce(
      (select true from account_supply_point s where s.account_id = a.id and (s.switch_status in ('IN_PROGRESS', 'COMPLETED') or s.switch_status = 'PENDING'
        and (select true from switch_request r where r.account_id = a.id and r.point_position = s.position and r.round = s.switch_round)) limit 1),
      (select true from market_message m where m.import_supplier = a.import_supplier and m.external_account_number = a.external_account_number and m.effect = 'waiting' limit 1),
      a.switch_status in ('IN_PROGRESS', 'COMPLETED'))`,
  payment_instruction_verified: `(select true from payment_instruction i where i.account_id = a.id and i.verified_at is not null
    and (select true from payment_verification t where t.id = i.verification_id and ${IS_OTHERS}) limit 1)`,
  payment_verification_open:
    '(select true from payment_verification v where v.account_id = a.id and v.completed_at is null limit 1)',
  notes_added: `(select true from note t where t.account_id = a.id and t.position >= ${createdItems('notes')} and ${IS_OTHERS} limit 1)`,
  transactions_added: `(select true from transaction t where t.account_id = a.id and ${IS_OTHERS} limit 1)`,
  statements_added: `(select true from statement t where t.account_id = a.id and t.position >= ${createdItems('statements')} and ${IS_OTHERS} limit 1)`,
  staged_data_deleted: 'p.payload is null',
};

const FIND: PreparedQuery = {
  name: 'withdrawal-obstacles',
  text: `
    select a.id, a.number, a.external_account_number as "externalAccountNumber",
      array_remove(array[${Object.entries(CONDITIONS)
        .map(([code, condition]) => `case when ${condition} then '${code}' end`)
        .join(', ')}], null) as obstacles
    from unnest($1::uuid[]) with ordinality as n (id, n)
      cross join lateral (select * from account where account.id = n.id offset 0) a
      cross join lateral (select * from import_process where import_process.id = a.import_process_id offset 0) p
    order by n.n`,
};

/**
 * Finds the obstacles of accounts. Before a withdrawal the accounts must be locked, so that none is added afterwards.
 * @param jobIds jobs that are withdrawn with the accounts: what they added is no obstacle
 * @returns the accounts that exist, in the order of their ids
 */
export function findObstacles(
  on: Queryable,
  accountIds: readonly string[],
  jobIds: readonly string[],
): Promise<CheckedAccount[]> {
  return run<CheckedAccount & Record<string, unknown>>(on, FIND, [accountIds, jobIds]);
}

/** Accounts per statement. */
const PAGE_SIZE = 500;

/** Counts the accounts that can be withdrawn now, and the others by obstacle. Locks nothing. */
export async function previewWithdrawal(on: Queryable, scope: WithdrawnScope): Promise<WithdrawalPreview> {
  const preview = { can_be_withdrawn: 0, kept: 0 };
  const accountsOf = new Map<string, number>();
  const counts: Record<string, number> = {};
  const examples: Partial<Record<WithdrawalObstacle, string[]>> = {};
  const read = (after: string) => findCandidates(on, scope, after, PAGE_SIZE);
  for await (const page of keysetPages(FIRST, PAGE_SIZE, ({ position }) => position, read)) {
    const ids = page.map(({ id }) => id);
    const checked = await findObstacles(on, ids, scope.attachingJobs);
    const free = checked.filter(({ obstacles }) => obstacles.length === 0);
    for (const business of await findBusinessesOf(
      on,
      free.map(({ id }) => id),
    )) {
      accountsOf.set(business.id, (accountsOf.get(business.id) ?? 0) + business.accounts);
    }
    for (const { externalAccountNumber, obstacles } of checked) {
      preview[obstacles.length === 0 ? 'can_be_withdrawn' : 'kept'] += 1;
      for (const code of obstacles) {
        counts[code] = (counts[code] ?? 0) + 1;
        const named = (examples[code] ??= []);
        if (named.length < EXAMPLES_MAX) named.push(externalAccountNumber);
      }
    }
  }
  const unused = await countUnusedWithout(on, accountsOf);
  return {
    ...preview,
    obstacles: obstacleViews(counts, (code) => examples[code] ?? []),
    businesses: { can_be_withdrawn: unused, kept: accountsOf.size - unused },
  };
}

/** Describes counted obstacles, most frequent first. */
export function obstacleViews(
  counts: Readonly<Record<string, number>>,
  examplesOf: (code: WithdrawalObstacle) => string[],
): WithdrawalPreview['obstacles'] {
  return membersOf(withdrawalObstacles)
    .filter((code) => (counts[code] ?? 0) > 0)
    .toSorted((one, other) => counts[other]! - counts[one]!)
    .map((code) => {
      const { reason, remedy } = obstacleSentences[code];
      return { code, accounts: counts[code]!, examples: examplesOf(code), reason, what_to_do: remedy };
    });
}
