import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { ConcernedAccount } from '../stuck/index.ts';
import { mismatchRemedies, type MismatchKind } from '../vocabulary/mismatches.ts';
import type { MismatchView } from './check.schema.ts';

/** Dependencies of a check. */
export interface CheckDeps {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  settings: Pick<Settings, 'PAYMENT_BUDGET_MS' | 'CREATION_START_DEADLINE_MS'>;
}

/** A repair. Both parts may be repeated, even after another operator has made the same repair. */
interface Repair {
  /** Runs in the transaction of the audit entry. */
  store?: (em: EntityManager) => Promise<unknown>;
  /** Runs after the commit. */
  act?: () => Promise<unknown>;
}

/** A mismatch found by a check. */
export interface Mismatch {
  kind: MismatchKind;
  subject: string;
  accounts: ConcernedAccount[];
  since: Date | null;
  detail: string;
  /** Undefined if an operator has to decide. */
  repair?: Repair;
}

/** Result of one page of a step. */
export interface ComparedPage {
  mismatches: Mismatch[];
  compared: number;
  /** Where to continue; undefined when the step is complete. */
  next: string | undefined;
}

/** One comparison, read in pages, so that each request is short. */
export interface CheckStep {
  name: string;
  /** Whether a cursor's position is valid for this step; if undefined, any string is. */
  isPosition?: (after: string) => boolean;
  /** @param after empty for the beginning */
  comparePage(after: string, limit: number): Promise<ComparedPage>;
}

/** The result of a page that was read by key. A full page has a next one. */
export function keyedPage<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
  mismatches: Mismatch[],
): ComparedPage {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { mismatches, compared: rows.length, next: last && keyOf(last) };
}

/** A mismatch as operators see it. */
export function viewOfMismatch(one: Mismatch, outcome: 'mended' | null): MismatchView {
  return {
    kind: one.kind,
    subject: one.subject,
    accounts: one.accounts,
    since: one.since?.toISOString() ?? null,
    detail: one.detail,
    what_to_do: mismatchRemedies[one.kind],
    mendable: one.repair !== undefined,
    outcome,
  };
}
