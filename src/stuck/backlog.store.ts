import type { DueWorkView } from './stuck.schema.ts';
import { viewOfDueWork, type Backlog } from './backlog-view.rules.ts';
import { heldSlots } from '../account-import/index.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import { readDueWork } from '../platform/work-items/due-work.store.ts';

/** Reads the backlog of the whole service, whichever process looks. */
export async function readBacklog(database: Queryable): Promise<Backlog> {
  const [dueWork, slots] = await Promise.all([readDueWork(database), heldSlots(database)]);
  return { ...dueWork, slots };
}

/** The same as operators see it. */
export async function readDueWorkView(database: Queryable): Promise<DueWorkView> {
  return viewOfDueWork(await readBacklog(database));
}
