import { Context } from '@temporalio/activity';
import type { CreationActivity } from '../../src/account-import/index.ts';
import {
  deleteExpiredPage,
  type KeptDays,
  countDeleted,
  endRetention,
  findCompleted,
} from '../../src/personal-data/expire/retention.store.ts';
import { retentionBudget } from '../../temporal.config.ts';
import {
  minutesOfNight,
  type NightHours,
  type RetentionProgress,
} from '../../src/personal-data/expire/retention.rules.ts';
import { parisMinuteOfDay, type Clock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { retentionClasses } from '../../src/vocabulary/retention-classes.ts';
import { membersOf } from '../../src/vocabulary/value-sets.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { beginTimeSlice, type TimeSlice } from '../../src/platform/time-slice.ts';

export type RetentionActivities = ReturnType<typeof retentionActivities>;
export type RetentionSteps = ReturnType<typeof retentionSteps>;

export interface RetentionDeps {
  database: Database;
  log: Log;
  /** Single creations, which have priority. */
  activity: CreationActivity;
  clock: Clock;
  kept: KeptDays;
  hours: NightHours;
  /** The setting FIELD_HASH_KEY. */
  hashKey: Buffer | undefined;
}

/** The activity of the retention. Two may run concurrently: each row is deleted and counted once. */
export function retentionActivities(deps: RetentionDeps) {
  return {
    /** Deletes expired data for some seconds and returns the progress. */
    async deleteExpired(): Promise<RetentionProgress> {
      const { cancellationSignal: cancelled } = Context.current();
      return withHeartbeat(() =>
        onDatabase(deps.log, 'expired data not deleted', () => deleteForAWhile(deps, cancelled)),
      );
    },
  };
}

/** Short steps of the retention. */
export function retentionSteps({ database, log }: Pick<RetentionDeps, 'database' | 'log'>) {
  return {
    /** Ends the run of this night. */
    endRetention: (state: RetentionProgress['state']): Promise<void> =>
      onDatabase(log, 'retention not ended', () => database.transaction((em) => endRetention(em, state))),
  };
}

async function deleteForAWhile(deps: RetentionDeps, cancelled: AbortSignal): Promise<RetentionProgress> {
  const { database, activity, hours, clock } = deps;
  const slice = beginTimeSlice({ maxPerSecond: undefined, activity, cancelled, budget: retentionBudget });
  const isNight = () => minutesOfNight(hours, parisMinuteOfDay(clock.now())) !== undefined;
  const isComplete = await deleteAll(deps, slice, isNight);
  const deleted = await countDeleted(database);
  return { state: isComplete ? 'COMPLETED' : isNight() ? 'RUNNING' : 'NIGHT_OVER', deleted };
}

/** @returns whether all expired data is deleted */
async function deleteAll(
  { database, kept, hashKey }: RetentionDeps,
  slice: TimeSlice,
  isNight: () => boolean,
): Promise<boolean> {
  const done = await findCompleted(database);
  for (const ofClass of membersOf(retentionClasses)) {
    if (done.has(ofClass)) continue;
    for (let isLast = false; !isLast;) {
      if (slice.isOver() || !isNight()) return false;
      const began = performance.now();
      const page = await database.transaction((em) =>
        deleteExpiredPage(em, ofClass, kept[ofClass], slice.atOnce(), hashKey),
      );
      isLast = page.isLast;
      await slice.done(page.deleted, performance.now() - began);
    }
  }
  return true;
}
