import type { EntityManager } from '@mikro-orm/postgresql';
import { type Autocommit, type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import { isTransientError } from '../../platform/database/faults.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import type { ConcurrencyLimitWatch } from './concurrency-limit.store.ts';
import type { CreationEntry } from '../create/create-account.rules.ts';

/** Result of a request for a slot; `off`: there is no limit. */
export type SlotOutcome = 'taken' | 'none-free' | 'off';

/** Slots of the concurrency limit; they are counted over all processes. */
export interface CreationSlots {
  /** Takes a slot. Undefined, at once, while the limit is known to be off. */
  take(entry: CreationEntry): Promise<SlotOutcome> | undefined;
  /**
   * Notes the run that the slots belong to, before it starts, so that a lost one can be found out.
   * @returns the creation ids that still hold their slot
   */
  nameRun(creationIds: readonly string[], workflowId: string): Promise<Set<string>>;
  /** Gives slots back whose run was never started. A failure is left to the watch over lost slots. */
  release(creationIds: readonly string[]): Promise<void>;
}

/**
 * Longest from the naming of a run to its start. A process that was frozen in between would start it under slots that were
 * freed as lost meanwhile: these are freed when the run is not known after this time and the start's own deadline.
 */
export const NAMED_TO_START_MS_MAX = 2_000;

const RENEW_EVERY_MS = 1_000;

const TAKE: PreparedQuery = { name: 'creation-slot-take', text: 'select take_creation_slot($1, $2, $3) as outcome' };

const NAME_RUN: PreparedQuery = {
  name: 'creation-slot-name-run',
  text: 'update creation_slot set workflow_id = $2, taken_at = now() where creation_id = any($1::uuid[]) returning creation_id',
};

const FREE: PreparedQuery = {
  name: 'creation-slot-free',
  text: 'delete from creation_slot where creation_id = any($1::uuid[])',
};

/** What shows that the process which holds them is alive. Those that were taken for lost meanwhile stay so. */
const RENEW: PreparedQuery = {
  name: 'creation-slot-renew',
  text: 'update creation_slot set taken_at = now() where creation_id = any($1::uuid[]) and workflow_id is null',
};

/** Compares the age again, because a slot that was renewed or got its run meanwhile is in use. */
const FREE_OLD: PreparedQuery = {
  name: 'creation-slot-free-old',
  text: 'delete from creation_slot where creation_id = any($1::uuid[]) and taken_at < now() - make_interval(secs => $2) returning creation_id',
};

const OLD: PreparedQuery = {
  name: 'creation-slot-old',
  text: 'select creation_id, workflow_id from creation_slot where taken_at < now() - make_interval(secs => $1) order by taken_at limit $2',
};

/** Slots in the database, behind the watch that saves asking while the limit is off. */
export function databaseSlots(deps: { database: Autocommit; limit: ConcurrencyLimitWatch; log: Log }): CreationSlots {
  const { database, limit, log } = deps;
  const unnamed = renewedUntilNamed(database);
  const take = async (entry: CreationEntry, isOff: boolean | Promise<boolean>): Promise<SlotOutcome> => {
    try {
      if (await isOff) return 'off';
      const [row] = await run<{ outcome: SlotOutcome }>(database, TAKE, [
        entry.creationId,
        entry.importSupplier,
        entry.externalAccountNumber,
      ]);
      const { outcome } = row as { outcome: SlotOutcome };
      if (outcome === 'taken') unnamed.add(entry.creationId);
      return outcome;
    } catch (error) {
      if (!isTransientError(error)) {
        log.error({ fault: loggedFault(error) }, 'slot not acquired');
      }
      throw error;
    }
  };
  return {
    take: (entry) => {
      const isOff = limit.isOff();
      return isOff === true ? undefined : take(entry, isOff);
    },
    nameRun: async (creationIds, workflowId) => {
      // Also if this fails: the run then does not start, and its slots are not needed.
      unnamed.remove(creationIds);
      const kept = await run<{ creation_id: string }>(database, NAME_RUN, [creationIds, workflowId]);
      return new Set(kept.map((row) => row.creation_id));
    },
    release: (creationIds) =>
      freeSlots(database, creationIds).catch((error: unknown) =>
        log.warn({ fault: loggedFault(error) }, 'slots are left to be freed as lost'),
      ),
  };
}

/** Renews the slots of requests that wait for a run, for the lifetime of this process. Queries nothing while there are none. */
function renewedUntilNamed(database: Autocommit) {
  const held = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const renew = (): void => {
    timer = undefined;
    if (held.size === 0) return;
    // A database that is away frees no slots either.
    run(database, RENEW, [[...held]])
      .catch(() => {})
      .finally(schedule);
  };
  const schedule = (): void => {
    timer ??= setTimeout(renew, RENEW_EVERY_MS).unref();
  };
  return {
    add: (creationId: string) => {
      held.add(creationId);
      schedule();
    },
    remove: (creationIds: readonly string[]) => {
      for (const creationId of creationIds) held.delete(creationId);
    },
  };
}

/** Deletes the slots of these creations; part of the transaction that completes them. */
async function freeSlots(on: Autocommit | EntityManager, creationIds: readonly string[]): Promise<void> {
  await run(on, FREE, [creationIds]);
}

/** Deletes the slots of those entries that hold one: no statement while the limit is off. */
export async function freeSlotsOf(em: EntityManager, entries: readonly CreationEntry[]): Promise<void> {
  const holders = entries.filter((entry) => entry.holdsSlot);
  if (holders.length > 0) {
    await freeSlots(
      em,
      holders.map((entry) => entry.creationId),
    );
  }
}

/** Deletes those of the slots that are still as old; resolves to their number. */
export async function freeOldSlots(
  database: Queryable,
  creationIds: readonly string[],
  minimumAgeSeconds: number,
): Promise<number> {
  return (await run(database, FREE_OLD, [creationIds, minimumAgeSeconds])).length;
}

/** Slots that have been held for a while, oldest first; `workflow_id` null: their run has not started. */
export function oldSlots(
  database: Queryable,
  minimumAgeSeconds: number,
  limit: number,
): Promise<{ creation_id: string; workflow_id: string | null }[]> {
  return run(database, OLD, [minimumAgeSeconds, limit]);
}

/** Slots of the concurrency limit that are held now. */
export interface HeldSlots {
  held: number;
  oldestTakenAt: Date | null;
}

const HELD: PreparedQuery = {
  name: 'creation-slot-held',
  text: 'select count(*)::integer as held, min(taken_at) as oldest from creation_slot',
};

/** How many slots are held, and since when the oldest. */
export async function heldSlots(database: Queryable): Promise<HeldSlots> {
  const [row] = await run<{ held: number; oldest: Date | null }>(database, HELD, []);
  return { held: row?.held ?? 0, oldestTakenAt: row?.oldest ?? null };
}
