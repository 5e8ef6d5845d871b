import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { enqueueWork, signalWork, type WorkItem } from '../../platform/work-items/work-item.store.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { changeOfCancel, changeOfPause, changeOfResume, hasEnded, type StateChange } from '../import-job.rules.ts';
import type { ImportJobOptions } from '../import-job.schema.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { changeJob, findJob, insertJob, jobWorkItem, lockJob } from '../import-job.store.ts';

/** The wave for which a job is opened. */
interface WaveOfJob {
  id: string;
  importSupplier: string;
  organisation: string;
  apiKeyId: string;
  name: string;
  operationsTeam: string;
}

/** Opens and starts a job over the members of a wave. @returns its id; a refusal if the organization has too many open jobs */
export async function startJobOfWave(
  em: EntityManager,
  wave: WaveOfJob,
  goal: 'REHEARSE' | 'CREATE',
  options: ImportJobOptions,
): Promise<string | Refused> {
  const { id: waveId, importSupplier, organisation, apiKeyId, operationsTeam } = wave;
  const id = uuidv7();
  const refused = await insertJob(em, {
    id,
    importSupplier,
    organisation,
    apiKeyId,
    kind: 'accounts',
    goal,
    selection: 'wave',
    waveId,
    name: wave.name,
    operationsTeam,
    options,
  });
  if (refused) return refused;
  const job = (await lockJob(em, id))!;
  await changeJob(em, job, { status: 'VALIDATING' });
  await enqueueWork(em, [jobWorkItem(job)], 0);
  return id;
}

/** The state of a job of a wave. */
export async function findJobState(
  on: Queryable,
  jobId: string,
): Promise<{ hasEnded: boolean; isPaused: boolean } | undefined> {
  const job = await findJob(on, jobId);
  return job && { hasEnded: hasEnded(job.status), isPaused: job.status === 'PAUSED' };
}

/** The work items of those jobs that were started and have not ended, so that their runs look at once. */
export async function findJobsAtWork(on: Queryable, jobIds: readonly string[]): Promise<WorkItem[]> {
  const items: WorkItem[] = [];
  for (const id of jobIds) {
    const job = await findJob(on, id);
    if (job !== undefined && job.status !== 'OPEN' && !hasEnded(job.status)) items.push(jobWorkItem(job));
  }
  return items;
}

/** The recent rate of a job in lines per second; 0 if it does not run. */
export async function findJobRate(on: Queryable, jobId: string): Promise<number> {
  return (await findJob(on, jobId))?.linesPerSecond ?? 0;
}

/** Accounts of the smallest creation whose rate is measured. */
const MEASURED_MIN = 1_000;

/** The rate of the last large creation job of a supplier, or of any supplier; undefined if there is none. */
export async function findMeasuredRate(on: Queryable, importSupplier: string): Promise<number | undefined> {
  const { rows } = await sql<{ rate: number }>`
    select (succeeded + failed) / greatest(1, extract(epoch from ended_at - started_at))::float8 as rate
    from import_job
    where goal = 'CREATE' and status = 'COMPLETED' and succeeded >= ${MEASURED_MIN} and selection <> 'uploaded'
    order by import_supplier = ${importSupplier} desc, id desc limit 1`.execute(kyselyOf<object>(on));
  return rows[0]?.rate;
}

/** Pauses a job of a wave. A job that has ended stays so. */
export function pauseJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfPause);
}

/** Resumes a job of a wave, and accepts the reason for its pause. */
export function resumeJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfResume);
}

/** Cancels a job of a wave. */
export function cancelJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfCancel);
}

async function change(
  em: EntityManager,
  jobId: string,
  decide: (job: ImportJobRecord) => StateChange | undefined | Refused,
): Promise<void> {
  const job = await lockJob(em, jobId);
  const wanted = job && decide(job);
  if (job === undefined || wanted === undefined || isRefused(wanted)) return;
  const changed = await changeJob(em, job, wanted);
  if (!hasEnded(changed.status)) await signalWork(em, [jobWorkItem(changed)], 0);
}
