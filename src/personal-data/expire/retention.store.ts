import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { recordAudit } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { parisMinuteOfDay } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { completeWork, enqueueWork, type WorkItem } from '../../platform/work-items/work-item.store.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { minutesOfNight, type DeletedCounts, type NightHours, type RetentionProgress } from './retention.rules.ts';

const MINUTE_MS = 60_000;
/** Whom the audit names. */
const ACTOR = { keyName: 'retention' };

const workItem: WorkItem = { workflowId: workflowIds.retention, kind: 'retention', input: {} };

/** Starts once a night; later processes find that it has started. */
const BEGIN: PreparedQuery = {
  name: 'retention-begin',
  text: 'update retention set started_at = now(), deleted_before = deleted where started_at < $1 returning class',
};

/**
 * Makes what begins the retention each night, on the dispatcher's beat. A run that was forgotten by Temporal is started again, as
 * its work item is there until it has ended.
 */
export function beginRetentionByNight(database: Database, hours: NightHours, clock: Clock): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const minutes = minutesOfNight(hours, parisMinuteOfDay(now));
    if (minutes === undefined) return;
    const nightBegan = new Date(Math.floor(now.getTime() / MINUTE_MS - minutes) * MINUTE_MS);
    await database.transaction(async (em) => {
      const begun = await run(em, BEGIN, [nightBegan]);
      if (begun.length > 0) await enqueueWork(em, [workItem]);
    });
  };
}

/** How far the retention of a class is. */
interface RetentionState {
  class: RetentionClass;
  /** Of all runs, and of the one that began last. */
  deleted: number;
  deletedByRun: number;
  startedAt: Date;
  completedAt: Date;
}

const FIND: PreparedQuery = {
  name: 'retention-find',
  text: `
    select class, deleted::float8 as deleted, (deleted - deleted_before)::float8 as "deletedByRun", started_at as "startedAt", completed_at as "completedAt"
    from retention`,
};

/** Every class with the number of its deletions. */
export function findRetention(on: Queryable): Promise<RetentionState[]> {
  return run<RetentionState & Record<string, unknown>>(on, FIND, []);
}

/** The classes of which the run under way has nothing more to do. */
export async function findCompleted(on: Queryable): Promise<ReadonlySet<RetentionClass>> {
  const states = await findRetention(on);
  return new Set(states.flatMap((state) => (state.completedAt >= state.startedAt ? [state.class] : [])));
}

/** What the run under way, or the last one, has deleted. */
export async function countDeleted(on: Queryable): Promise<DeletedCounts> {
  const states = await findRetention(on);
  return Object.fromEntries(states.map((state) => [state.class, state.deletedByRun])) as DeletedCounts;
}

/** Ends the run of a night, and writes into the audit what it has deleted. Nothing where it has ended already. */
export async function endRetention(em: EntityManager, state: RetentionProgress['state']): Promise<void> {
  const ended = await completeWork(em, [workflowIds.retention]);
  if (ended === 0) return;
  await recordAudit(em, ACTOR, {
    action: 'retention.ended',
    subject: 'retention',
    after: { state, deleted: await countDeleted(em) },
  });
}
