import type { EntityManager } from '@mikro-orm/postgresql';
import {
  readEvents,
  readPoints,
  storeApplied,
  type SwitchedAccount,
  type SwitchedPoint,
} from './switch-account.store.ts';
import { applyNewEvents } from './switch-state.rules.ts';

/**
 * Computes the states of points and accounts from all their events and stores them, with each change in the history. Idempotent, because the
 * states follow from the events.
 * @param accounts locked
 * @returns the points by account id
 */
export async function applyEvents(
  em: EntityManager,
  accounts: readonly SwitchedAccount[],
  leadDays: number,
): Promise<Map<string, SwitchedPoint[]>> {
  const ids = accounts.map(({ id }) => id);
  const points = await readPoints(em, ids, leadDays);
  const events = await readEvents(em, ids);
  const applied = accounts.flatMap((account) => {
    const result = applyNewEvents(points.get(account.id) ?? [], events.get(account.id) ?? []);
    return result === undefined ? [] : [{ ...result, account }];
  });
  if (applied.length === 0) return points;
  await storeApplied(em, applied);
  // Read again, because a new round has no answer.
  const changed = applied.map(({ account }) => account.id);
  return new Map([...points, ...(await readPoints(em, changed, leadDays))]);
}
