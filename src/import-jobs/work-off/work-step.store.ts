import type { EntityManager } from '@mikro-orm/postgresql';
import type { CreationActivity, CreationContext } from '../../account-import/index.ts';
import type { countJob, JobCounts, WorkedJob } from './job-at-work.store.ts';
import type { LineKind } from './line-kind.rules.ts';
import { nextStep, type NextStep } from './next-step.rules.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { DocumentCheck, SupplierDirectory } from '../../suppliers/index.ts';
import type { ImportJobKind, LineState } from '../../vocabulary/import-jobs.ts';

export interface WorkDeps {
  database: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  lineKinds: Partial<Record<ImportJobKind, LineKind>>;
  /** Activity of single creations, which have priority over jobs. */
  activity: CreationActivity;
  /** Called with the counts of each committed page. */
  counted(kind: ImportJobKind, counts: Pick<JobCounts, 'succeeded' | 'failed'>): void;
  clock: Clock;
  log: Log;
}

/** The result of a step. */
export interface StepEnd {
  lines: number;
  /** Time until the next step has work to do. */
  waitMs: number;
}

/** The counts of a page, and the counts of the job after that page. */
export type PageCounts = JobCounts & { job: NonNullable<Awaited<ReturnType<typeof countJob>>> };

/** Counts lines by state. */
export function countsOf(lines: readonly { state: LineState; warnings?: readonly unknown[] }[]): JobCounts {
  const having = (state: LineState) => lines.filter((line) => line.state === state).length;
  return {
    judged: 0,
    staged: having('staged'),
    succeeded: having('succeeded'),
    failed: having('failed') + having('quarantined'),
    warned: lines.filter(({ warnings = [] }) => warnings.length > 0).length,
  };
}

export function nextStepOf({ clock }: Pick<WorkDeps, 'clock'>, { facts }: WorkedJob): NextStep {
  return nextStep(facts, clock.now());
}

/** Updates the facts after a page. @returns whether the same step continues */
export function continuesStep(
  deps: Pick<WorkDeps, 'clock'>,
  job: WorkedJob,
  { job: counts, staged }: PageCounts,
  kind: NextStep['kind'],
): boolean {
  const { stagedCapacity } = job.facts;
  job.facts = { ...job.facts, ...counts, stagedCapacity: stagedCapacity === null ? null : stagedCapacity - staged };
  return nextStepOf(deps, job).kind === kind;
}

/** Rolls back a savepoint without reporting an error. */
class RolledBack extends Error {}

/** Runs work in a savepoint and rolls it back, with its locks. @returns the result of the work */
export async function rollBackAfter<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await em
    .transactional(async (part) => {
      result = await work(part);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return result as T;
}
