import type { Queryable } from '../../platform/database/prepared-query.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { listBatches, type BatchView } from './list-batches.store.ts';
import { batchStatuses, isBatchId } from '../populate/population-batch.rules.ts';

/** Batches on a page. */
const PAGE_SIZE = 50;

/** A page of batches. */
export interface BatchPage {
  batches: BatchView[];
  next_cursor: string | null;
}

/**
 * Lists batches of all organisations, newest first.
 * @param query `status`, `import_supplier` and `cursor`; an empty one narrows nothing down
 */
export async function findBatchPage(database: Queryable, query: URLSearchParams): Promise<BatchPage | Refused> {
  const given = (name: string) => query.get(name) || undefined;
  const [status, importSupplier, cursor] = [given('status'), given('import_supplier'), given('cursor')];
  const wanted = batchStatuses.find((one) => one === status);
  const violations: Violation[] = [];
  if (status !== undefined && wanted === undefined) {
    violations.push(violation('invalid_choice', ['status'], `One of ${batchStatuses.join(', ')} is expected.`));
  }
  if (cursor !== undefined && !isBatchId(cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Take next_cursor from the answer before.'));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // What the database cannot hold as text is the code of nobody.
  if (importSupplier?.includes('\0')) return { batches: [], next_cursor: null };
  const found = await listBatches(database, { status: wanted, importSupplier }, PAGE_SIZE + 1, cursor);
  const batches = found.slice(0, PAGE_SIZE);
  return { batches, next_cursor: found.length > PAGE_SIZE ? (batches.at(-1)?.batch_id ?? null) : null };
}
