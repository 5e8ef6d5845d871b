import { raw, LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { emOf, kyselyOf, type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import { isTransientError } from '../../platform/database/faults.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import type { CreationEntry } from '../create/create-account.rules.ts';
import { CreationSlot, type CreationSlotTable } from './creation-slot.entity.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { OperatorSetting } from '../../platform/operator-settings/operator-setting.entity.ts';
import { type Static, Type } from 'typebox';
import {
  answeredInstant,
  answeredInteger,
  answeredText,
  INTEGER_MAX,
  text,
} from '../../platform/validation/field-types.schema.ts';

/** Result of a request for a slot. `off`: there is no limit. */
export type SlotOutcome = 'taken' | 'none-free' | 'off';

/** Slots of the concurrency limit, counted over all processes. */
export interface CreationSlots {
  /** Acquires a slot. Returns undefined immediately while the limit is known to be off. */
  acquire(entry: CreationEntry): Promise<SlotOutcome> | undefined;
  /**
   * Stores the run of the slots before it starts, so that slots of lost runs can be detected.
   * @returns the creation ids that still hold their slot
   */
  nameRun(creationIds: readonly string[], workflowId: string): Promise<Set<string>>;
  /** Releases the slots of a run that never started. If this fails, `watchLostSlots` reclaims them. */
  release(creationIds: readonly string[]): Promise<void>;
}

/**
 * Maximum time from `nameRun` to the start of the run. A process suspended in between must not start the run, because its slots may have
 * been reclaimed: that happens after this time plus the deadline of the start.
 */
export const NAMED_TO_START_MS_MAX = 2_000;

const RENEW_EVERY_MS = 1_000;

const ACQUIRE: PreparedQuery = { name: 'creation-slot-take', text: 'select take_creation_slot($1, $2, $3) as outcome' };

/**
 * Stores the run of slots. Slots already reclaimed as lost stay reclaimed. Without a run it renews slots that have none, to show that their
 * process is alive.
 */
function nameRun(on: Queryable, creationIds: readonly string[], workflowId: string | null) {
  return kyselyOf<CreationSlotTable>(on)
    .updateTable('creation_slot')
    .set({ workflow_id: workflowId, taken_at: sql<Date>`now()` })
    .where('creation_id', '=', sql<string>`any(${creationIds}::uuid[])`)
    .$if(workflowId === null, (update) => update.where('workflow_id', 'is', null))
    .returning('creation_id')
    .execute();
}

function free(on: Queryable, creationIds: readonly string[]): Promise<number> {
  return emOf(on).nativeDelete(CreationSlot, { creationId: [...creationIds] });
}

/** Slots in the database. The watch avoids queries while the limit is off. */
export function databaseSlots(deps: { database: Queryable; limit: ConcurrencyLimitWatch; log: Log }): CreationSlots {
  const { database, limit, log } = deps;
  const unnamed = renewedUntilNamed(database);
  const acquire = async (entry: CreationEntry, isOff: boolean | Promise<boolean>): Promise<SlotOutcome> => {
    try {
      if (await isOff) return 'off';
      const [row] = await run<{ outcome: SlotOutcome }>(database, ACQUIRE, [
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
    acquire: (entry) => {
      const isOff = limit.isOff();
      return isOff === true ? undefined : acquire(entry, isOff);
    },
    nameRun: async (creationIds, workflowId) => {
      // Even if the statement fails: the run then does not start, and its slots can be reclaimed.
      unnamed.remove(creationIds);
      const kept = await nameRun(database, creationIds, workflowId);
      return new Set(kept.map((row) => row.creation_id));
    },
    release: (creationIds) =>
      free(database, creationIds)
        .then(() => {})
        .catch((error: unknown) =>
          log.warn({ fault: loggedFault(error) }, 'slots not released; they are released as lost'),
        ),
  };
}

/** Renews the slots of requests that wait for a run, until the run is stored. No queries while there are none. */
function renewedUntilNamed(database: Queryable) {
  const held = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const renew = (): void => {
    timer = undefined;
    if (held.size === 0) return;
    // If the database is unavailable, no slots are reclaimed either.
    nameRun(database, [...held], null)
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

/** Deletes the slots of the entries, in the transaction that completes them. No statement if there are none. */
export async function freeSlotsOf(em: EntityManager, entries: readonly CreationEntry[]): Promise<void> {
  const holders = entries.flatMap((entry) => (entry.holdsSlot ? [entry.creationId] : []));
  if (holders.length > 0) await free(em, holders);
}

const olderThan = (seconds: number) => ({ takenAt: { $lt: raw<Date>('now() - make_interval(secs => ?)', [seconds]) } });

/**
 * Deletes the given slots. Checks the age again, because a slot that was renewed or got its run meanwhile is in use.
 * @returns the number deleted
 */
export function freeOldSlots(
  database: Queryable,
  creationIds: readonly string[],
  minimumAgeSeconds: number,
): Promise<number> {
  return emOf(database).nativeDelete(CreationSlot, { creationId: [...creationIds], ...olderThan(minimumAgeSeconds) });
}

/** Slots older than the given age, oldest first. Without `workflowId` no run has been stored. */
export function oldSlots(database: Queryable, minimumAgeSeconds: number, limit: number): Promise<CreationSlot[]> {
  return emOf(database).find(CreationSlot, olderThan(minimumAgeSeconds), { orderBy: { takenAt: 'asc' }, limit });
}

/** Returns the number of held slots and the time of the oldest. */
export async function countSlotsInUse(database: Queryable) {
  return kyselyOf<CreationSlotTable>(database)
    .selectFrom('creation_slot')
    .select(({ fn }) => [sql<number>`count(*)::integer`.as('held'), fn.min('taken_at').as('oldestAcquiredAt')])
    .executeTakeFirstOrThrow();
}

const NAME = 'create-account-concurrency-limit';
/** Maximum delay until a change made in another process applies here. */
const STALE_AFTER_MS = 1_000;

/** The limit, or null if there is none. */
export async function findLimit(on: Queryable): Promise<number | null> {
  const setting = await emOf(on).findOne(OperatorSetting, { name: NAME });
  return setting && limitIn(setting);
}

export async function findConcurrencyLimit(em: EntityManager): Promise<ConcurrencyLimitView> {
  const setting = await em.findOne(OperatorSetting, { name: NAME });
  const { count } = await kyselyOf<CreationSlotTable>(em)
    .selectFrom('creation_slot')
    .select(({ fn }) => fn.count<string>(fn.coalesce('import_process_id', 'creation_id')).distinct().as('count'))
    .executeTakeFirstOrThrow();
  return {
    limit: setting === null ? null : limitIn(setting),
    in_use: Number(count),
    reason: setting?.reason ?? null,
    updated_at: setting?.updatedAt.toISOString() ?? null,
  };
}

/** Changes the given members of the limit. Locks the setting, so that concurrent changes, and creations that take a slot, wait for each other. */
export async function changeConcurrencyLimit(
  em: EntityManager,
  change: PutConcurrencyLimit,
): Promise<{ before: object; after: object }> {
  await em.execute('insert into setting (name, value) values (?, ?::jsonb) on conflict (name) do nothing', [
    NAME,
    JSON.stringify({ limit: null }),
  ]);
  const setting = await em.findOneOrFail(OperatorSetting, { name: NAME }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const before = { limit: limitIn(setting), reason: setting.reason ?? null };
  const after = {
    limit: change.limit === undefined ? before.limit : change.limit,
    reason: change.reason === undefined ? before.reason : change.reason || null,
  };
  em.assign(setting, { value: { limit: after.limit }, reason: after.reason, updatedAt: raw('now()') });
  await em.flush();
  return { before, after };
}

function limitIn(setting: OperatorSetting): number | null {
  return (setting.value as { limit: number | null }).limit;
}

/** Cached answer to whether the limit is off; at most a second old. */
export interface ConcurrencyLimitWatch {
  /** Returns the value immediately if it is cached, otherwise a promise. Rejects if the first read fails. */
  isOff(): boolean | Promise<boolean>;
  /** Drops the cached value, so that a change made in this process applies immediately. */
  forget(): void;
}

/**
 * Reads the limit at most once a second for all callers, so that creations cost no extra statement while it is off. If the database is
 * unavailable the last value is used, because it cannot have changed.
 */
export function watchConcurrencyLimit(deps: {
  findLimit: () => Promise<number | null>;
  now?: () => number;
}): ConcurrencyLimitWatch {
  let last: { isOff: boolean } | undefined;
  const cache = createShortCache<'limit', { isOff: boolean }>({
    load: async () => ({ isOff: (await deps.findLimit()) === null }),
    forMs: STALE_AFTER_MS,
    now: deps.now,
  });
  const read = async (): Promise<boolean> => {
    try {
      last = await cache.fetch('limit');
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last.isOff;
  };
  return { isOff: () => cache.get('limit')?.isOff ?? read(), forget: () => cache.forget('limit') };
}

/** Body of `PUT settings/create-account-concurrency-limit/`. `limit: null` turns the limit off; an omitted `limit` is kept. */
export const putConcurrencyLimitSchema = Type.Object({
  limit: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: INTEGER_MAX })),
  reason: Type.Optional(text(1_000)),
});

export type PutConcurrencyLimit = Static<typeof putConcurrencyLimitSchema>;

/** The limit as shown to operators. */
export const concurrencyLimitView = Type.Object(
  {
    limit: answeredInteger({ description: 'Null if there is no limit.', examples: [50] }),
    in_use: Type.Integer({ description: 'Number of slots in use.', examples: [12] }),
    reason: answeredText({ examples: ['Night load of the platform'] }),
    updated_at: answeredInstant({ examples: ['2026-11-20T17:00:00.000Z'] }),
  },
  { title: 'ConcurrencyLimit' },
);
type ConcurrencyLimitView = Static<typeof concurrencyLimitView>;
