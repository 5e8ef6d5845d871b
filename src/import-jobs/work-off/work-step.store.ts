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

/** What the steps of a job work with. */
export interface WorkDeps {
  database: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  lineKinds: Partial<Record<ImportJobKind, LineKind>>;
  /** Single creations, to which jobs give way. */
  activity: CreationActivity;
  /** Told what was committed. */
  counted(kind: ImportJobKind, counts: Pick<JobCounts, 'succeeded' | 'failed'>): void;
  clock: Clock;
  log: Log;
}

/** What a step has done. */
export interface StepEnd {
  lines: number;
  /** Nothing more can be done before. */
  waitMs: number;
}

/** What a page adds to the counts, and how the job stands after it. */
export type PageCounts = JobCounts & { job: NonNullable<Awaited<ReturnType<typeof countJob>>> };

/** Counts lines by what became of them. */
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

/** Decides the next step of a job at this moment. */
export function nextStepOf({ clock }: Pick<WorkDeps, 'clock'>, { facts }: WorkedJob): NextStep {
  return nextStep(facts, clock.now());
}

/** Takes over what a page has changed; false when the job is to do something else now. */
export function stepGoesOn(
  deps: Pick<WorkDeps, 'clock'>,
  job: WorkedJob,
  { job: counts, staged }: PageCounts,
  kind: NextStep['kind'],
): boolean {
  const { stagedRoom } = job.facts;
  job.facts = { ...job.facts, ...counts, stagedRoom: stagedRoom === null ? null : stagedRoom - staged };
  return nextStepOf(deps, job).kind === kind;
}

/** Ends a savepoint without an error. */
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
