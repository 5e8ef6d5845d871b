import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { KnownSupplier } from '../../suppliers/index.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** A count is cached for this time, and longer if counting is slow, so that counting takes at most a fiftieth of the time. */
const KEPT_MS = 2_000;
const KEPT_PER_MS_COUNTED = 50;
/** Only the creation of accounts frees quota, so earlier retries are useless. */
const RETRY_SECONDS = 30;

// Stops at the limit, because larger numbers do not matter.
const COUNT: PreparedQuery = {
  name: 'staged-accounts-count',
  text: 'select count(*)::integer as count from (select from import_process where import_supplier = $1 and imported_at is null limit $2) staged',
};

const IS_STAGED: PreparedQuery = {
  name: 'staged-account-exists',
  text: 'select from import_process where import_supplier = $1 and external_account_number = $2',
};

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
    fresh.count = run<{ count: number }>(database, COUNT, [code, max]).then(([row]) => {
      fresh.until = now() + Math.max(KEPT_MS, KEPT_PER_MS_COUNTED * (now() - began));
      return row!.count;
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
      if ((await run(database, IS_STAGED, [code, externalAccountNumber])).length > 0) return NO_RESERVATION;
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
  if (max === undefined) return null;
  const [row] = await run<{ count: number }>(database, COUNT, [supplier.code, max]);
  return max - (row?.count ?? 0);
}

function maxIn(options: KnownSupplier['options']): number | undefined {
  const max = options['staged_accounts_max'];
  return typeof max === 'number' ? max : undefined;
}
