import type { Queryable, PreparedQuery } from '../database/database.ts';
import type { WorkKind } from './work-item.store.ts';

/** Work of one kind whose time has come, and that nobody has started yet. */
interface DueKind {
  kind: WorkKind;
  due: number;
  oldestDueAt: Date;
}

/** Who starts due work. */
interface Dispatcher {
  /** Host and process id; null between two rounds. */
  holder: string | null;
  heldSince: Date | null;
  /** The holder has not renewed its lease: it is frozen, cut off or gone. */
  isOverdue: boolean;
  /** When a round last came to its end; null before the first. */
  lastSweptAt: Date | null;
}

/** How far the service is behind with the work that it owes, whichever process looks. */
export interface DueWork {
  kinds: DueKind[];
  dispatcher: Dispatcher;
}

const DUE: PreparedQuery = {
  name: 'due-work-kinds',
  text: 'select kind, count(*)::integer as due, min(start_at) as oldest from unfinished_work where start_at <= now() group by kind order by kind',
};

const DISPATCHER: PreparedQuery = {
  name: 'due-work-dispatcher',
  text: `
    select holder, held_since, holder is not null and held_until < clock_timestamp() as is_overdue, last_swept_at
    from dispatcher_lease where name = 'work-items'`,
};

/** Reads how much is due, since when, and who looks after it. */
export async function readDueWork(database: Queryable): Promise<DueWork> {
  const [kinds, [dispatcher]] = await Promise.all([
    database.run<{ kind: WorkKind; due: number; oldest: Date }>(DUE, []),
    database.run<{ holder: string | null; held_since: Date | null; is_overdue: boolean; last_swept_at: Date | null }>(
      DISPATCHER,
      [],
    ),
  ]);
  return {
    kinds: kinds.map(({ kind, due, oldest }) => ({ kind, due, oldestDueAt: new Date(oldest) })),
    dispatcher: {
      holder: dispatcher?.holder ?? null,
      heldSince: dateOf(dispatcher?.held_since),
      isOverdue: dispatcher?.is_overdue ?? false,
      lastSweptAt: dateOf(dispatcher?.last_swept_at),
    },
  };
}

function dateOf(instant: Date | null | undefined): Date | null {
  return instant === null || instant === undefined ? null : new Date(instant);
}
