import type { EntityManager } from '@mikro-orm/postgresql';
import type { CreationActivity, CreationContext } from '../../account-import/index.ts';
import { recordCauses } from '../results/import-job-cause.store.ts';
import { countJob, type JobCounts, type WorkedJob } from './job-at-work.store.ts';
import type { FinishedLine, LineKind, LineOutcome } from './line-kind.rules.ts';
import { nextStep, type NextStep } from './next-step.rules.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { DocumentCheck, SupplierDirectory } from '../../suppliers/index.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';

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

/**
 * Counts the lines of a page in their job and its causes. Call it last in the transaction of the page.
 * @param judged newly validated lines
 * @param earlier warnings that lines already had
 * @returns `stopped` if the job was paused or cancelled meanwhile; the page is then rolled back
 */
export async function countPage(
  em: EntityManager,
  jobId: string,
  lines: readonly FinishedLine[],
  judged: number,
  earlier?: ReadonlyMap<number, readonly unknown[]>,
): Promise<PageCounts | 'stopped'> {
  const having = (kind: LineOutcome['kind']) => lines.filter(({ outcome }) => outcome.kind === kind).length;
  const counts = {
    judged,
    staged: having('staged'),
    succeeded: having('succeeded'),
    failed: having('failed') + having('quarantined'),
    warned: lines.filter(({ line, outcome }) => outcome.warnings?.length && !earlier?.get(line)?.length).length,
  };
  const job = await countJob(em, jobId, counts, lines.length);
  if (job === undefined) {
    await em.rollback();
    return 'stopped';
  }
  await recordCauses(em, jobId, lines);
  return { ...counts, job };
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
