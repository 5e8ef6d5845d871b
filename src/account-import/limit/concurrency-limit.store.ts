import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { emOf, kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
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
import type { CreationSlotTable } from './creation-slot.entity.ts';

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
