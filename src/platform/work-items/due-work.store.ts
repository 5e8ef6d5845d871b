import type { Queryable } from '../database/prepared-query.ts';
import { readDispatcher, type Dispatcher } from './dispatcher-lease.store.ts';
import { countDueWork, type DueKind } from './work-item.store.ts';

/** Due work of the whole service. */
export interface DueWork {
  kinds: DueKind[];
  dispatcher: Dispatcher;
}

/** Reads the due work by kind, and the dispatcher. */
export async function readDueWork(database: Queryable): Promise<DueWork> {
  const [kinds, dispatcher] = await Promise.all([countDueWork(database), readDispatcher(database)]);
  return { kinds, dispatcher };
}
