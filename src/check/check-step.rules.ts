import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { ConcernedAccount } from '../stuck/index.ts';
import { mismatchRemedies, type MismatchKind } from '../vocabulary/mismatches.ts';
import type { MismatchView } from './check.schema.ts';

/** What a check works on. */
export interface CheckDeps {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  settings: Pick<Settings, 'PAYMENT_BUDGET_MS' | 'CREATION_START_DEADLINE_MS'>;
}

/** How something is mended. Both may come twice, and after somebody else has mended it. */
interface Mend {
  /** In the transaction of its row of the audit. */
  store?: (em: EntityManager) => Promise<unknown>;
  /** After that has been committed. */
  act?: () => Promise<unknown>;
}

/** Something that a check has found. */
export interface Mismatch {
  kind: MismatchKind;
  subject: string;
  accounts: ConcernedAccount[];
  since: Date | null;
  detail: string;
  /** Undefined where people have to decide. */
  mend?: Mend;
}

/** What was found among a page of what a step compares. */
export interface Looked {
  mismatches: Mismatch[];
  lookedAt: number;
  /** Where to go on; undefined when the step is through. */
  next: string | undefined;
}

/** One comparison; read in pages, so that no request is long however much there is. */
export interface CheckStep {
  name: string;
  /** Tells whether a client's place is one of this step; left out where any text is. */
  isPlace?: (after: string) => boolean;
  /** @param after empty for the beginning */
  look(after: string, limit: number): Promise<Looked>;
}

/** A page read by key: full pages have a next one. */
export function lookedAtPage<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
  mismatches: Mismatch[],
): Looked {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { mismatches, lookedAt: rows.length, next: last && keyOf(last) };
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
    mendable: one.mend !== undefined,
    outcome,
  };
}
