import type { EntityManager } from '@mikro-orm/postgresql';
import type { Warning } from '../../vocabulary/warnings.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import type { RefusalCode } from '../../vocabulary/refusals.ts';
import type { ImportJobGoal, ImportJobKind } from '../../vocabulary/import-jobs.ts';

/** The view of a job that line kinds get. */
export interface JobAtWork {
  jobId: string;
  importSupplier: string;
  organisation: string;
  keyId: string;
  kind: ImportJobKind;
  goal: ImportJobGoal;
  operationsTeam: string | null;
}

/** One line as it was uploaded, without its end of line. */
export interface Line {
  /** Counted from 1 over all parts. */
  line: number;
  bytes: Buffer;
}

/** The outcome of a line. `staged`: its account is created later; `waits`: the line is retried later. */
export type LineOutcome = { key?: string | undefined; warnings?: readonly Warning[] } & (
  | { kind: 'succeeded'; number?: string | undefined }
  | { kind: 'staged'; revision: number }
  | {
      kind: 'failed';
      code: RefusalCode | 'duplicate_in_job';
      errors: readonly Violation[];
      /** A more precise sentence than the catalogue's, if no error names a field. */
      detail?: string | undefined;
    }
  | { kind: 'quarantined' }
  | { kind: 'waits'; seconds: number }
);

/**
 * How the lines of a kind are processed. `prepare` may take long, holds no lock and may be repeated. `write` runs in the transaction that
 * also stores the outcomes.
 */
export interface LineKind<Prepared = unknown> {
  /** @param yieldToEventLoop awaited between lines, so that the process serves requests */
  prepare(job: JobAtWork, lines: readonly Line[], yieldToEventLoop: () => Promise<void>): Promise<Prepared[]>;
  /** @returns one outcome per line, in their order; for the goals VALIDATE and REHEARSE the caller rolls back all other writes */
  write(em: EntityManager, job: JobAtWork, prepared: readonly Prepared[]): Promise<LineOutcome[]>;
  /** The parsed line, for the example of a cause. */
  bodyOf?(prepared: Prepared): unknown;
  /** For kinds that allow a key once per job: the key that a line claims, with any outcome. */
  claimOf?(prepared: Prepared): string | undefined;
}
