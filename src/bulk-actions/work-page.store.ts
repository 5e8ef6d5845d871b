import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../platform/database/database.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import type { WorkItem } from '../platform/work-items/work-item.store.ts';
import { loggedFault } from '../platform/log.ts';
import { findStuckItems } from '../stuck/index.ts';
import { applyPage, type ApplyDeps } from './apply-action.client.ts';
import { BulkAction } from './bulk-action.entity.ts';
import { scopeOf } from './bulk-action.rules.ts';
import { endBulkAction, findBulkAction, lockBulkAction, storeOutcomes } from './bulk-action.store.ts';

export type WorkDeps = ApplyDeps & { database: Database };

/** The result of a step. `locked`: another worker has the action; try again soon. `stopped`: it is paused or has ended. */
export type BulkStep = 'locked' | 'stopped' | { items: number };

/**
 * Handles the next items in one transaction with the cursor, so that each item is handled once however often workers are killed.
 * @param size most items
 */
export async function workPage(deps: WorkDeps, id: string, size: number): Promise<BulkStep> {
  const { database } = deps;
  // Committed before the first call to Temporal: after a kill it says which attempts the interrupted page caused.
  await database
    .em()
    .nativeUpdate(
      BulkAction,
      { id, action: 'retry', status: 'RUNNING', pageBeganAt: null },
      { pageBeganAt: raw('now()') },
    );
  const { step, runs } = await database.transaction((em) => handlePage(deps, em, id, size));
  await startRuns(deps, runs);
  return step;
}

async function handlePage(
  deps: WorkDeps,
  em: EntityManager,
  id: string,
  size: number,
): Promise<{ step: BulkStep; runs: WorkItem[] }> {
  const action = await lockBulkAction(em, id, 'skip locked');
  if (action?.status !== 'RUNNING') return { step: await stepWithout(em, id, action), runs: [] };
  const { sources, kinds } = scopeOf[action.action];
  const source = sources[action.source];
  if (source === undefined) {
    await endBulkAction(em, id, 'COMPLETED');
    return { step: 'stopped', runs: [] };
  }
  const after = action.since === null ? undefined : { since: action.since!, id: action.item! };
  const { items } = await findStuckItems(em, source, { ...action.filter, kinds }, { after, limit: size });
  if (items.length === 0) {
    em.assign(action, { source: action.source + 1, since: null, item: null });
    await em.flush();
    return { step: { items: 0 }, runs: [] };
  }
  const { handled, runs } = await applyPage(deps, { em, action, items });
  await storeOutcomes(em, action, handled);
  return { step: { items: items.length }, runs };
}

async function stepWithout(em: EntityManager, id: string, action: BulkAction | undefined): Promise<BulkStep> {
  if (action !== undefined) return 'stopped';
  return (await findBulkAction(em, id))?.status === 'RUNNING' ? 'locked' : 'stopped';
}

/** Starts or wakes the runs of a committed page. The dispatcher repeats what fails. */
async function startRuns({ gateway, log }: WorkDeps, runs: readonly WorkItem[]): Promise<void> {
  for (const work of new Map(runs.map((one) => [one.workflowId, one])).values()) {
    await startWorkItem({ gateway, log }, work).catch((error: unknown) => {
      log.warn({ kind: work.kind, fault: loggedFault(error) }, 'run not started; the dispatcher starts it');
    });
  }
}
