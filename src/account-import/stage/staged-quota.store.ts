import { sql } from 'kysely';
import { emOf, kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { KnownSupplier } from '../../suppliers/index.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { ImportProcess, type ImportProcessTable } from '../import-process.entity.ts';

/** A count is cached for this time, and longer if counting is slow, so that counting takes at most a fiftieth of the time. */
const KEPT_MS = 2_000;
const KEPT_PER_MS_COUNTED = 50;
/** Only the creation of accounts frees quota, so earlier retries are useless. */
const RETRY_SECONDS = 30;

interface Counted {
  max: number;
  until: number;
  /** Number in the database when it was read. */
  count: Promise<number>;
  /** Reserved in this process since then. */
  added: number;
}

export interface StagedQuota {
  /** Reserves quota for an account before it is staged, or refuses if the supplier has reached its limit. Accounts that are already staged need no quota. */
  reserve(supplier: KnownSupplier | undefined, externalAccountNumber: string): Promise<QuotaReservation | Refused>;
}

/** Quota for one account. Release it if no account was added. */
interface QuotaReservation {
  release(): void;
}

const NO_RESERVATION: QuotaReservation = { release: () => {} };

/** Enforces the supplier option `staged_accounts_max`. Several processes together may exceed it slightly between two counts. */
export function createStagedQuota({
  database,
  now = () => performance.now(),
}: {
  database: Queryable;
  now?: () => number;
}): StagedQuota {
  const counted = new Map<string, Counted>();
  const recount = (code: string, max: number): Counted => {
    const began = now();
    const fresh: Counted = { max, until: Number.POSITIVE_INFINITY, added: 0, count: Promise.resolve(0) };
    fresh.count = countStaged(database, code, max).then((count) => {
      fresh.until = now() + Math.max(KEPT_MS, KEPT_PER_MS_COUNTED * (now() - began));
      return count;
    });
    fresh.count.catch(() => {
      if (counted.get(code) === fresh) counted.delete(code);
    });
    counted.set(code, fresh);
    return fresh;
  };
  return {
    reserve: async (supplier, externalAccountNumber) => {
      const max = supplier && maxIn(supplier.options);
      if (max === undefined) return NO_RESERVATION;
      const { code } = supplier!;
      const known = counted.get(code);
      const current = known !== undefined && known.max === max && now() < known.until ? known : recount(code, max);
      current.added += 1;
      const reservation: QuotaReservation = {
        release: () => {
          current.added -= 1;
        },
      };
      if ((await current.count) + current.added <= max) return reservation;
      reservation.release();
      const staged = { importSupplier: code, externalAccountNumber };
      if ((await emOf(database).count(ImportProcess, staged)) > 0) return NO_RESERVATION;
      return refuse('throttled', {
        detail: `This import supplier has reached its limit of ${max} staged accounts that are not created yet. Create some of them, then send the same request again.`,
        retryAfterSeconds: RETRY_SECONDS,
      });
    },
  };
}

/** Returns how many more accounts an import supplier may stage; null if there is no limit. */
export async function findStagedCapacity(
  database: Queryable,
  supplier: Pick<KnownSupplier, 'code' | 'options'>,
): Promise<number | null> {
  const max = maxIn(supplier.options);
  return max === undefined ? null : max - (await countStaged(database, supplier.code, max));
}

/** Stops at the limit, because larger numbers do not matter. */
async function countStaged(database: Queryable, importSupplier: string, max: number): Promise<number> {
  const { count } = await kyselyOf<ImportProcessTable>(database)
    .selectFrom((of) =>
      of
        .selectFrom('import_process')
        .select('import_supplier')
        .where('import_supplier', '=', importSupplier)
        .where('imported_at', 'is', null)
        .limit(max)
        .as('staged'),
    )
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function maxIn(options: KnownSupplier['options']): number | undefined {
  const max = options['staged_accounts_max'];
  return typeof max === 'number' ? max : undefined;
}
