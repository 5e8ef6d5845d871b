import type { EntityManager } from '@mikro-orm/postgresql';
import type { Warning } from '../../vocabulary/warnings.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import type { RefusalCode } from '../../vocabulary/refusals.ts';
import type { ImportJobGoal, ImportJobKind } from '../../vocabulary/import-jobs.ts';

/** What a job tells whoever works on its lines. */
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

/** What becomes of a line. `staged`: it goes on to creation; `waits`: it is not done yet and is tried again later. */
export type LineOutcome = { key?: string | undefined; warnings?: readonly Warning[] } & (
  | { kind: 'succeeded'; number?: string | undefined }
  | { kind: 'staged'; revision: number }
  | {
      kind: 'failed';
      code: RefusalCode | 'duplicate_in_job';
      errors: readonly Violation[];
      /** A sentence more precise than the catalogue's, where no error names a field. */
      detail?: string | undefined;
    }
  | { kind: 'quarantined' }
  | { kind: 'waits'; seconds: number }
);

/**
 * How the lines of a kind are done. `prepare` takes as long as it takes and holds no lock; what it does may be done twice.
 * `write` runs in the transaction that also keeps the outcomes: both stand, or neither.
 */
export interface LineKind<Prepared = unknown> {
  /** @param yieldToEventLoop awaited between lines, so that requests are served */
  prepare(job: JobAtWork, lines: readonly Line[], yieldToEventLoop: () => Promise<void>): Promise<Prepared[]>;
  /** @returns one outcome per line, in their order; of goals VALIDATE and REHEARSE everything but the outcomes is rolled back by the caller */
  write(em: EntityManager, job: JobAtWork, prepared: readonly Prepared[]): Promise<LineOutcome[]>;
  /** What a line said, for the example of a cause. */
  bodyOf?(prepared: Prepared): unknown;
  /** Set where a key may stand in a job once: the key that a line claims, whatever becomes of the line. */
  claimOf?(prepared: Prepared): string | undefined;
}
