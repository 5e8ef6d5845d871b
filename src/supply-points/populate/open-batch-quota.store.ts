import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { KnownSupplier } from '../../suppliers/index.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** A batch ends when its last identifier is looked up; nothing is gained by asking sooner. */
const RETRY_SECONDS = 60;

/** How many open batches an import supplier may have: option `open_batches_max`. */
export interface OpenBatchQuota {
  code: string;
  max: number;
}

/** The quotas of those suppliers that have one, in one order. */
export function openBatchQuotas(suppliers: readonly KnownSupplier[]): OpenBatchQuota[] {
  return suppliers
    .flatMap(({ code, options }) =>
      typeof options['open_batches_max'] === 'number' ? [{ code, max: options['open_batches_max'] }] : [],
    )
    .sort((one, other) => (one.code < other.code ? -1 : 1));
}

// Batches of one supplier are accepted one after the other, so that none is accepted beyond the quota.
const LOCK: PreparedQuery = {
  name: 'open-batches-lock',
  text: "select pg_advisory_xact_lock(hashtextextended('open-batches ' || $1, 0))",
};

const COUNT: PreparedQuery = {
  name: 'open-batches-count',
  text: `select count(*)::integer as count from (
    select from population_batch b join population_batch_import_supplier s on s.batch_id = b.id
    where b.status = 'IN_PROGRESS' and s.import_supplier = $1 limit $2) open`,
};

/** Refuses a batch when one of its suppliers has as many open ones as it may; to be asked in the transaction that accepts it. */
export async function findOpenBatchRefusal(
  em: EntityManager,
  quotas: readonly OpenBatchQuota[],
): Promise<Refused | undefined> {
  for (const { code, max } of quotas) {
    await run(em, LOCK, [code]);
    const [row] = await run<{ count: number }>(em, COUNT, [code, max]);
    if (row!.count >= max) {
      return refuse('throttled', {
        detail: `Import supplier ${code} has ${max} batches in progress, as many as it may have; send the same request again when one has ended.`,
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
  }
  return undefined;
}
