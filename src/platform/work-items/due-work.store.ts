import type { Queryable } from '../database/prepared-query.ts';
import { readDispatcher, type Dispatcher } from './dispatcher-lease.store.ts';
import { countDueWork, type DueKind } from './work-item.store.ts';

/** How far the service is behind with its work, whichever process looks. */
export interface DueWork {
  kinds: DueKind[];
  dispatcher: Dispatcher;
}

/** Reads how much is due, since when, and who looks after it. */
export async function readDueWork(database: Queryable): Promise<DueWork> {
  const [kinds, dispatcher] = await Promise.all([countDueWork(database), readDispatcher(database)]);
  return { kinds, dispatcher };
}
