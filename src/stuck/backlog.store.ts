import type { DueWorkView } from './stuck.schema.ts';
import { viewOfDueWork } from './backlog-view.rules.ts';
import { heldSlots, type HeldSlots } from '../account-import/index.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import { readDueWork, type DueWork } from '../platform/work-items/due-work.store.ts';

/** What waits to be started, who starts it, and how much of the concurrency limit is in use. */
export interface Backlog extends DueWork {
  slots: HeldSlots;
}

/** Reads the backlog of the whole service, whichever process looks. */
export async function readBacklog(database: Queryable): Promise<Backlog> {
  const [dueWork, slots] = await Promise.all([readDueWork(database), heldSlots(database)]);
  return { ...dueWork, slots };
}

/** The same as operators see it. */
export async function readDueWorkView(database: Queryable): Promise<DueWorkView> {
  return viewOfDueWork(await readBacklog(database));
}
