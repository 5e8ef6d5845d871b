import { keysetPages } from '../foundation/keyset-pages.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { obstacleSentences, type WithdrawalObstacle, withdrawalObstacles } from '../vocabulary/withdrawals.ts';
import { findObstacles } from './find-obstacles.store.ts';
import { countUnusedWithout, findBusinessesOf } from './withdraw-businesses.store.ts';
import type { WithdrawalPreview } from './withdrawal.schema.ts';
import { EXAMPLES_MAX, findCandidates, FIRST, type WithdrawnScope } from './withdrawal.store.ts';

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
