import { decodeTextCursor, encodeTextCursor } from '../foundation/keyset-pages.ts';
import type { Database } from '../platform/database/database.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { viewOfDueWork } from './backlog-view.rules.ts';
import type { StuckList, StuckView } from './stuck.schema.ts';
import type { StuckCount } from '../platform/work-items/work-failure.store.ts';
import { byAge, readSnapshot, readStuckRun, withAttempts, type StuckSnapshot } from './read-stuck.client.ts';
import { stuckIds } from './stuck-id.rules.ts';
import { groupStuckItems, type StuckGroupRow } from './stuck-items.store.ts';

/** A cursor in the list: continue after this entry. */
export type StuckPosition = Pick<StuckView, 'waiting_since' | 'id'>;

interface StuckQuery {
  /** An external number, or `<supplier>/<number>`. */
  account?: string | undefined;
  cause?: string | undefined;
  after?: StuckPosition | undefined;
  pageSize?: number;
}

export interface StuckWork {
  /** Lists stuck work, oldest first. */
  list(query: StuckQuery): Promise<StuckList>;
  /** Counts the stuck work that Postgres knows, exactly. */
  groups(): Promise<readonly StuckGroupRow[]>;
  /** Finds one item by its id, with its attempts; undefined if it is not stuck any more. */
  find(id: string): Promise<StuckView | undefined>;
}

export const PAGE_SIZE = 100;
const CACHED_MS = 2_000;
/** Largest share of the time that is spent reading. */
const READING_SHARE_MAX = 1 / 5;

/** Lists stuck work. It is read at most every 2 seconds, and less often if reading takes long. */
export function createStuckWork(deps: { database: Database; gateway: TemporalGateway; now?: () => number }): StuckWork {
  const cache = createShortCache<'all', StuckSnapshot>({
    load: () => readSnapshot(deps),
    forMs: (_snapshot, tookMs) => Math.max(CACHED_MS, tookMs / READING_SHARE_MAX),
    now: deps.now,
  });
  const groups = createShortCache<'all', StuckGroupRow[]>({
    load: () => groupStuckItems(deps.database),
    forMs: (_groups, tookMs) => Math.max(CACHED_MS, tookMs / READING_SHARE_MAX),
    now: deps.now,
  });
  const addAttempts = async (list: StuckList): Promise<StuckList> => ({
    ...list,
    stuck: await withAttempts(deps, list.stuck),
  });
  return {
    groups: () => groups.fetch('all'),
    find: async (id) => {
      const workflowId = stuckIds.workflowIdIn(id);
      return workflowId === undefined || workflowId.includes('\0') ? undefined : readStuckRun(deps, workflowId);
    },
    list: async (query) => {
      const { account } = query;
      const all = await cache.fetch('all');
      if (account === undefined) return addAttempts(pageOf(all, all.stuck, query, all.counts));
      const concernsAccount = ({ accounts }: StuckView) =>
        accounts.some(
          (one) =>
            account === one.external_account_number ||
            account === `${one.import_supplier}/${one.external_account_number}`,
        );
      const found = all.stuck.filter(concernsAccount);
      if (all.isWhole) return addAttempts(pageOf(all, found, query));
      // The list is cut, so the work of the account is read directly.
      const ofAccount = await readSnapshot(deps, account);
      const more = ofAccount.stuck.filter((one) => concernsAccount(one) && !found.some(({ id }) => id === one.id));
      return addAttempts(pageOf(all, [...found, ...more].sort(byAge), query));
    },
  };
}

function pageOf(
  { isWhole, dueWork }: StuckSnapshot,
  views: readonly StuckView[],
  { cause, after, pageSize = PAGE_SIZE }: StuckQuery,
  exact: readonly StuckCount[] = [],
): StuckList {
  const fitting = cause === undefined ? views : views.filter((one) => one.cause === cause);
  const left = after === undefined ? fitting : fitting.filter((one) => byAge(one, after) > 0);
  const stuck = left.slice(0, pageSize);
  const last = stuck.at(-1);
  const counts = countsOf(
    fitting,
    exact.filter((one) => cause === undefined || one.cause === cause),
  );
  const next_cursor = left.length > stuck.length && last !== undefined ? stuckCursors.of(last) : null;
  return {
    stuck,
    complete: isWhole && next_cursor === null,
    next_cursor,
    total: counts.reduce((sum, { count }) => sum + count, 0),
    counts,
    counted_all: isWhole,
    due_work: dueWork && viewOfDueWork(dueWork),
  };
}

/**
 * Counts by cause. Work in Postgres is counted exactly, work that only Temporal knows in the list, which may be cut; so the larger count is
 * closer to the truth.
 */
function countsOf(views: readonly StuckView[], storedCounts: readonly StuckCount[]): StuckList['counts'] {
  const counts = new Map<string, number>();
  for (const { cause } of views) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const stored = new Map<string, number>();
  for (const { cause, count } of storedCounts) stored.set(cause, (stored.get(cause) ?? 0) + count);
  for (const [cause, count] of stored) counts.set(cause, Math.max(count, counts.get(cause) ?? 0));
  return [...counts]
    .map(([cause, count]) => ({ cause, count }))
    .sort((one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1));
}

/** Cursors as clients return them. */
const stuckCursors = {
  of: ({ waiting_since: since, id }: StuckPosition): string => encodeTextCursor([since, id]),
  parse: (cursor: string): StuckPosition | undefined => {
    const [since, id, ...others] = decodeTextCursor(cursor) ?? [];
    return since === undefined || id === undefined || others.length > 0 ? undefined : { waiting_since: since, id };
  },
};

/** Reads a cursor; undefined for the start of the list. */
export function readCursor(cursor: string | null): StuckPosition | Refused | undefined {
  const place = cursor ? stuckCursors.parse(cursor) : undefined;
  return cursor && place === undefined ? invalidCursor() : place;
}

/** The refusal of a cursor. */
export function invalidCursor(): Refused {
  return refuse('validation_failed', {
    violations: [violation('invalid', ['cursor'], 'The cursor is not valid. Send next_cursor of the previous page.')],
  });
}

/** The result of work with Temporal; a refusal while Temporal is unavailable. */
export async function unlessAway<Result>(work: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await work();
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    return refuse('service_unavailable', {
      detail:
        'Temporal is unavailable or overloaded, so stuck work is not known. Work resumes automatically. Retry later.',
      retryAfterSeconds: 5,
    });
  }
}
